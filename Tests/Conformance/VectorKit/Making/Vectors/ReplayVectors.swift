import Envelope
import Keys
import Primitives
import TestSupport

enum ReplayVectors {
    private static let start = Actors.start

    static func make() throws -> [Vector] { try repeats() + claims() + floors() + shuffled() }

    private static func repeats() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene("replay-same", "the same push twice", cases: [43], rules: [23])
        try scene.deliver("opened")
        scene.deliverAgain("replay")
        scene.deliverAgain("replay", now: start + 3_599_999)
        scene.deliverAgain("expired", now: start + 3_600_000)
        vectors.append(scene.finished)
        scene = try MessageScene(
            "replay-resent",
            "a re-send, under a new encapsulated key",
            cases: [34, 43],
            rules: [20, 23]
        )
        let id = scene.actors.random.bytes(count: 16)
        try scene.deliver("opened") { $0.messageID = id }
        try scene.deliver("replay") { $0.messageID = id }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "replay-other-body",
            "an id that its sender uses for another text",
            cases: [43],
            rules: [23]
        )
        let reused = scene.actors.random.bytes(count: 16)
        try scene.deliver("opened") { $0.messageID = reused }
        try scene.deliver("replay") {
            $0.messageID = reused
            $0.setBody(#"{"body":"another"}"#)
            $0.expiresAt += 1_000
        }
        vectors.append(scene.finished)
        scene = try MessageScene("replay-burnt-id", "one contact's id does not burn another's", rules: [23])
        let shared = scene.actors.random.bytes(count: 16)
        let other = try scene.stranger()
        scene.add(contact: other.key, "person -")
        try scene.deliver("opened") {
            try $0.sign(as: other.seed)
            $0.messageID = shared
        }
        try scene.deliver("opened") { $0.messageID = shared }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "replay-forged-first",
            "a forgery with the id of a message to come claims nothing",
            rules: [23]
        )
        let awaited = scene.actors.random.bytes(count: 16)
        try scene.deliver("malformed") {
            $0.messageID = awaited
            $0.changeSignature = { $0[5] ^= 4 }
        }
        try scene.deliver("opened") { $0.messageID = awaited }
        vectors.append(scene.finished)
        return vectors
    }

    private static func claims() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene(
            "claim-live",
            "a second process comes while the first still works on the push",
            cases: [43],
            rules: [26]
        )
        try scene.deliver("opened", died: true)
        scene.deliverAgain("replay", at: .init(uptime: 34_999))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "claim-died",
            "the process that claimed a push died before it showed anything",
            rules: [26]
        )
        try scene.deliver("opened", died: true)
        scene.deliverAgain("opened", at: .init(uptime: 36_000))
        scene.deliverAgain("replay", at: .init(uptime: 80_000))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "claim-died-restart",
            "the device was started again before the claim was shown",
            rules: [26]
        )
        try scene.deliver("opened", died: true, at: .init(uptime: 50_000))
        scene.deliverAgain("opened", at: .init(start: 2, uptime: 50_001))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "claim-live-clock-steps",
            "a clock that is set forward or back ends no claim",
            cases: [47],
            rules: [26]
        )
        try scene.deliver("opened", died: true)
        scene.deliverAgain("replay", now: start - 1, at: .init(uptime: 10))
        scene.deliverAgain("replay", now: start + 3_000_000, at: .init(uptime: 20))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "claim-died-call",
            "a call is not rung again for a process that died",
            rules: [26, 29],
            contact: "person call"
        )
        try scene.deliver("opened", shows: #"{"op":"call","call":"room 7"}"#, died: true) {
            $0.setBody(#"{"op":"call","call":"room 7"}"#)
            $0.expiresAt = $0.sentAt + 60_000
        }
        scene.deliverAgain("replay", at: .init(uptime: 36_000))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "store-unavailable",
            "a replay window that cannot be used: nothing counts as new",
            cases: [49],
            rules: [26]
        )
        scene.add("store", "unavailable")
        try scene.deliver("store-unavailable")
        scene.deliverAgain("store-unavailable")
        vectors.append(scene.finished)
        return vectors
    }

    private static func floors() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene(
            "floor",
            "ids that had to be forgotten are too old, and the sender's next are not",
            cases: [44],
            rules: [24]
        )
        scene.add("floor", "\(Base64URL.string(scene.actors.senderKey.rawRepresentation)) \(start + 1_000)")
        try scene.deliver("too-old") { $0.expiresAt = start + 1_000 }
        try scene.deliver("opened") { $0.expiresAt = start + 1_001 }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "floor-of-another",
            "the floor of one sender is not another's",
            cases: [44],
            rules: [24]
        )
        let other = try scene.stranger()
        scene.add(contact: other.key, "person -")
        scene.add("floor", "\(Base64URL.string(other.key.rawRepresentation)) \(start + 1_000)")
        try scene.deliver("opened") { $0.expiresAt = start + 1_000 }
        vectors.append(scene.finished)
        return vectors
    }

    private static func shuffled() throws -> [Vector] {
        var scene = try MessageScene(
            "out-of-order",
            "twelve messages, the newest first, and each once more",
            cases: [48],
            rules: [23]
        )
        let ids = (0..<12).map { _ in scene.actors.random.bytes(count: 16) }
        for expect in ["opened", "replay"] {
            for (index, id) in ids.enumerated().reversed() {
                try scene.deliver(expect) {
                    $0.messageID = id
                    $0.sentAt = start - 12 + UInt64(index)
                }
            }
        }
        return [scene.finished]
    }
}
