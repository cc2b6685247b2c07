import Envelope
import Keys
import Primitives
import TestSupport

enum AnnouncementVectors {
    static func make() throws -> [Vector] { try changes() + bytes() + signatures() + states() + messages() }

    private static let start = Actors.start
    private static let day: UInt64 = 86_400_000

    private static func changes() throws -> [Vector] {
        var scene = try AnnouncementScene("successor", "a new key takes the contact's place")
        try scene.hand("replaced")
        var vectors = [try scene.finished()]
        scene = try AnnouncementScene("revocation", "a key is revoked")
        try scene.hand("revoked") { $0.kind = 2 }
        vectors.append(try scene.finished())
        scene = try AnnouncementScene("skew", "announced five minutes ahead")
        try scene.hand("replaced") { $0.announcedAt = start + 300_000 }
        vectors.append(try scene.finished())
        scene = try AnnouncementScene("not-yet", "announced a millisecond too far ahead, and handed over again")
        try scene.hand("not-yet") { $0.announcedAt = start + 300_001 }
        scene.handAgain("replaced", now: start + 1)
        vectors.append(try scene.finished())
        scene = try AnnouncementScene("time-zero", "announced at the beginning of all times")
        try scene.hand("replaced") { $0.announcedAt = 0 }
        vectors.append(try scene.finished())
        scene = try AnnouncementScene("stranger", "of a sender that is no contact", isKnown: false)
        try scene.hand("unchanged")
        try scene.hand("unchanged") { $0.kind = 2 }
        vectors.append(try scene.finished())
        return vectors
    }

    private static func bytes() throws -> [Vector] {
        let faults: [(String, String, String, (inout [UInt8]) -> Void)] = [
            ("empty", "no bytes", "malformed", { $0 = [] }),
            ("only-version", "a version and nothing else", "malformed", { $0 = [1] }),
            ("short", "the last byte is missing", "malformed", { $0.removeLast() }),
            ("long", "a byte too many", "malformed", { $0.append(0) }),
            ("version-0", "version 0", "unsupported", { $0[0] = 0 }),
            ("version-2", "version 2", "unsupported", { $0[0] = 2 }),
            ("kind-0", "kind 0", "unsupported", { $0[1] = 0 }),
            ("kind-3", "kind 3", "unsupported", { $0[1] = 3 }),
            ("kind-changed", "a successor called a revocation", "malformed", { $0[1] = 2 }),
            (
                "time-2-53", "announced at 2^53", "malformed",
                { $0.replaceSubrange(34..<42, with: [0, 32, 0, 0, 0, 0, 0, 0]) }
            ),
            ("topic-length-255", "a topic longer than the bytes", "malformed", { $0[42] = 255 }),
            (
                "small-order", "a key of small order announced", "malformed",
                { $0.replaceSubrange(59..<91, with: [1] + [UInt8](repeating: 0, count: 31)) }
            ),
            ("time-changed", "the time is changed behind the signatures", "bad-signature", { $0[41] ^= 1 }),
        ]
        return try faults.map { name, title, expect, change in
            var scene = try AnnouncementScene(name, title, cases: [17])
            try scene.hand(expect) { $0.change = change }
            return try scene.finished()
        }
    }

    private static func signatures() throws -> [Vector] {
        let cases: [(String, String, String, (inout AnnouncementRecipe) -> Void)] = [
            ("other-topic", "another app's", "other-topic", { $0.topic = "com.example.chat2" }),
            ("itself", "a key that announces itself", "malformed", { $0.successorSeed = $0.senderSeed }),
            (
                "old-key-signs-twice", "the new key did not sign", "bad-signature",
                { $0.successorSigner = $0.senderSeed }
            ),
            (
                "new-key-signs-twice", "the old key did not sign", "bad-signature",
                { $0.senderSigner = $0.successorSeed }
            ),
            ("no-context", "signed without a context", "bad-signature", { $0.context = nil }),
            ("message-context", "signed as a message is", "bad-signature", { $0.context = "SealedPush/1 message" }),
            ("bundle-context", "signed as a bundle is", "bad-signature", { $0.context = "SealedPush/1 bundle" }),
            (
                "revocation-by-another", "a revocation that another key signed", "bad-signature",
                {
                    $0.kind = 2
                    $0.senderSigner = $0.successorSeed
                }
            ),
        ]
        return try cases.map { name, title, expect, change in
            var scene = try AnnouncementScene(name, title, cases: [30])
            try scene.hand(expect, change)
            return try scene.finished()
        }
    }

    private static func states() throws -> [Vector] {
        var scene = try AnnouncementScene(
            "replayed",
            "the same announcement again, after the next one too",
            cases: [29]
        )
        let (first, second) = (scene.newSeed(), scene.newSeed())
        try scene.hand("replaced") { $0.successorSeed = first }
        scene.handAgain("unchanged")
        try scene.hand("replaced") { ($0.senderSeed, $0.successorSeed) = (first, second) }
        scene.hand(0, again: "unchanged")
        var vectors = [try scene.finished()]

        scene = try AnnouncementScene("other-successor", "a second successor of one key")
        try scene.hand("replaced") { $0.successorSeed = first }
        try scene.hand("other-successor") { $0.successorSeed = second }
        vectors.append(try scene.finished())

        scene = try AnnouncementScene("back", "a new key that announces the old one again", cases: [29])
        let own = scene.actors.senderSeed
        try scene.hand("replaced") { $0.successorSeed = first }
        try scene.hand("given-up") { ($0.senderSeed, $0.successorSeed) = (first, own) }
        vectors.append(try scene.finished())

        scene = try AnnouncementScene("revoked-then-successor", "a revoked key announces a successor")
        try scene.hand("revoked") { $0.kind = 2 }
        try scene.hand("given-up")
        try scene.hand("unchanged") { $0.kind = 2 }
        vectors.append(try scene.finished())

        scene = try AnnouncementScene("revoked-successor", "the new key is revoked, and announced again", cases: [29])
        try scene.hand("replaced") { $0.successorSeed = first }
        try scene.hand("revoked") { ($0.kind, $0.senderSeed) = (2, first) }
        scene.hand(0, again: "unchanged")
        vectors.append(try scene.finished())

        scene = try AnnouncementScene("old-key-revoked", "the old key is revoked, and the new one stays")
        try scene.hand("replaced") { $0.successorSeed = first }
        try scene.hand("revoked") { $0.kind = 2 }
        vectors.append(try scene.finished())
        return vectors
    }

    private static func messages() throws -> [Vector] {
        func scene(_ name: String, _ title: String) throws -> MessageScene {
            try MessageScene("sender-" + name, title, rules: [21], contact: nil)
        }
        func shows(_ vector: MessageScene, _ expect: String) throws -> Vector {
            var vector = vector
            try vector.deliver(expect, shows: expect == "opened" ? MessageScene.helloShows : nil)
            return vector.finished
        }
        var vectors: [Vector] = []
        let times = [("", start - day, "opened"), ("-last", start - 7 * day + 1, "opened")]
        for (name, time, expect) in times + [("-late", start - 7 * day, "unverified-sender")] {
            var scene = try scene(
                "superseded" + name,
                "under a key that was given up \((start - time) / 60_000) minutes ago"
            )
            let successor = try scene.stranger().key
            scene.add(contact: successor, "service -")
            scene.add(retired: scene.actors.senderKey, by: successor, at: time)
            vectors.append(try shows(scene, expect))
        }
        var chain = try scene("superseded-twice", "under a key whose successor was given up too")
        let (middle, last) = (try chain.stranger().key, try chain.stranger().key)
        chain.add(contact: last, "service -")
        chain.add(retired: chain.actors.senderKey, by: middle, at: start - 2 * day)
        chain.add(retired: middle, by: last, at: start - day)
        vectors.append(try shows(chain, "opened"))
        var gone = try scene("superseded-gone", "under a key whose successor is no contact")
        gone.add(retired: gone.actors.senderKey, by: try gone.stranger().key, at: start - day)
        vectors.append(try shows(gone, "unverified-sender"))
        var revoked = try scene("revoked", "under a key that was revoked")
        revoked.add(retired: revoked.actors.senderKey, by: nil, at: start)
        vectors.append(try shows(revoked, "unverified-sender"))
        return vectors
    }
}
