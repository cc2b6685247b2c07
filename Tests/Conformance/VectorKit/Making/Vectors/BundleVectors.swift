import Envelope
import Keys
import Primitives
import TestSupport

enum BundleVectors {
    static func make() throws -> [Vector] { try valid() + bytes() + contents() + signatures() + pins() }

    private static let start = Actors.start
    private static let day: UInt64 = 86_400_000

    private static func valid() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try BundleScene("valid", "one prekey")
        try scene.offer("valid")
        vectors.append(scene.finished)
        scene = try BundleScene("valid-two-classes", "both classes")
        try scene.offer("valid") { $0.entries.append(try $0.entry(protectionClass: 2)) }
        vectors.append(scene.finished)
        scene = try BundleScene("valid-skew", "valid from five minutes ahead on")
        try scene.offer("valid") { $0.entries[0].notBefore = start + 300_000 }
        vectors.append(scene.finished)
        scene = try BundleScene("valid-last-moment", "valid until now")
        try scene.offer("valid") { $0.entries[0].notAfter = start }
        vectors.append(scene.finished)
        scene = try BundleScene("valid-60-days", "valid for sixty days")
        try scene.offer("valid") { $0.entries[0].notAfter = start + 59 * day }
        vectors.append(scene.finished)
        return vectors
    }

    private static func bytes() throws -> [Vector] {
        let faults: [(String, String, String, (inout [UInt8]) -> Void)] = [
            ("empty", "no bytes", "malformed", { $0 = [] }),
            ("only-version", "a version and nothing else", "malformed", { $0 = [1] }),
            ("short", "the last byte is missing", "malformed", { $0.removeLast() }),
            ("long", "a byte too many", "malformed", { $0.append(0) }),
            ("version-0", "version 0", "unsupported-version", { $0[0] = 0 }),
            ("version-2", "version 2", "unsupported-version", { $0[0] = 2 }),
            ("bad-signature", "a bit of the signature is flipped", "bad-signature", { $0[$0.count - 1] ^= 1 }),
            (
                "no-signature", "a signature of zeros", "bad-signature",
                { $0.replaceSubrange(($0.count - 64)..., with: [UInt8](repeating: 0, count: 64)) }
            ),
            ("epoch-changed", "the epoch is changed behind the signature", "bad-signature", { $0[40] ^= 1 }),
            ("key-changed", "the key is changed behind the signature", "bad-signature", { $0[$0.count - 65] ^= 1 }),
            ("topic-length-255", "a topic longer than the bundle", "malformed", { $0[49] = 255 }),
            ("count-0", "no entry", "malformed", { $0[66] = 0 }),
            ("count-5", "five entries", "malformed", { $0[66] = 5 }),
            ("count-2", "an entry that is not there", "malformed", { $0[66] = 2 }),
            ("class-0", "class 0", "malformed", { $0[68] = 0 }),
            ("class-3", "class 3", "malformed", { $0[68] = 3 }),
            ("suite-0", "suite 0", "unsupported-suite", { $0[67] = 0 }),
            ("suite-2", "suite 2", "unsupported-suite", { $0[67] = 2 }),
        ]
        return try faults.map { name, title, expect, change in
            var scene = try BundleScene(
                name,
                title,
                cases: name.hasPrefix("suite") ? [11, 29] : [17, 29],
                rules: name.hasPrefix("suite") ? [18] : []
            )
            try scene.offer(expect) { $0.change = change }
            return scene.finished
        }
    }

    private static func contents() throws -> [Vector] {
        let cases: [(String, String, String, [Int], (inout BundleRecipe) throws -> Void)] = [
            ("other-topic", "another app's", "other-topic", [5], { $0.topic = "com.example.chat2" }),
            ("topic-prefix", "an app whose name begins alike", "other-topic", [5], { $0.topic = "com.example.cha" }),
            (
                "descending", "the classes the wrong way round", "malformed", [],
                { $0.entries = [try $0.entry(protectionClass: 2), $0.entries[0]] }
            ),
            ("twice", "one class twice", "malformed", [], { $0.entries.append(try $0.entry(protectionClass: 1)) }),
            ("issued-2-53", "issued at 2^53", "malformed", [], { $0.issuedAt = 1 << 53 }),
            (
                "not-yet", "valid a millisecond too late", "not-yet-valid", [],
                { $0.entries[0].notBefore = start + 300_001 }
            ),
            (
                "epoch-ahead", "an epoch a millisecond too far ahead, which would lock out all that follow",
                "not-yet-valid", [15], { $0.epoch = start + 300_001 }
            ),
            ("expired", "expired a millisecond ago", "expired", [17], { $0.entries[0].notAfter = start - 1 }),
            (
                "backwards", "ends before it begins", "validity-too-long", [],
                { $0.entries[0].notAfter = $0.entries[0].notBefore - 1 }
            ),
            (
                "60-days-and-more", "valid for a millisecond more than sixty days", "validity-too-long", [17],
                { $0.entries[0].notAfter = start + 59 * day + 1 }
            ),
            ("for-ever", "valid to the end of numbers", "validity-too-long", [], { $0.entries[0].notAfter = .max }),
            (
                "second-expired", "the other entry has expired", "expired", [18],
                {
                    $0.entries.append(try $0.entry(protectionClass: 2))
                    $0.entries[1].notAfter = start - 1
                }
            ),
            (
                "low-order", "a prekey of low order", "low-order-prekey", [],
                { $0.entries[0].key = [1] + [UInt8](repeating: 0, count: 31) }
            ),
            (
                "low-order-second", "the other prekey has low order", "low-order-prekey", [],
                {
                    $0.entries.append(try $0.entry(protectionClass: 2))
                    $0.entries[1].key = [UInt8](repeating: 0, count: 32)
                }
            ),
        ]
        return try cases.map { name, title, expect, rules, change in
            var scene = try BundleScene(name, title, cases: name.hasPrefix("low") ? [21, 29] : [29], rules: rules)
            try scene.offer(expect, change)
            return scene.finished
        }
    }

    private static func signatures() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try BundleScene(
            "other-identity",
            "a bundle of somebody else, well signed",
            cases: [29],
            rules: [12]
        )
        let other = scene.actors.random.bytes(count: 32)
        try scene.offer("other-identity") { $0.identitySeed = other }
        vectors.append(scene.finished)
        scene = try BundleScene(
            "other-signer",
            "names the pinned identity, and is signed by another",
            cases: [29],
            rules: [12]
        )
        try scene.offer("bad-signature") { $0.signerSeed = other }
        vectors.append(scene.finished)
        scene = try BundleScene("message-context", "signed in the context of messages", cases: [29])
        try scene.offer("bad-signature") { $0.context = "SealedPush/1 message" }
        vectors.append(scene.finished)
        scene = try BundleScene("no-context", "signed without a context", cases: [29])
        try scene.offer("bad-signature") { $0.context = nil }
        vectors.append(scene.finished)
        return vectors
    }

    private static func pins() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try BundleScene("rollback", "an older bundle after a newer one", cases: [29], rules: [15, 16])
        try scene.offer("valid") { $0.epoch = 7 }
        try scene.offer("rolled-back") { $0.epoch = 6 }
        try scene.offer("valid") { $0.epoch = 8 }
        try scene.offer("rolled-back") { $0.epoch = 7 }
        vectors.append(scene.finished)
        scene = try BundleScene("replayed", "the same bundle again", cases: [29], rules: [16])
        try scene.offer("valid")
        scene.offerAgain("valid")
        vectors.append(scene.finished)
        scene = try BundleScene("equivocation", "two bundles of one epoch", cases: [29], rules: [16])
        try scene.offer("valid") { $0.epoch = 7 }
        try scene.offer("equivocation") {
            $0.epoch = 7
            $0.issuedAt += 1
        }
        vectors.append(scene.finished)
        scene = try BundleScene(
            "suite-downgrade",
            "suite 1 after a higher suite was seen",
            cases: [28, 29],
            rules: [18],
            pin: "1 \(Base64URL.string([UInt8](repeating: 3, count: 32))) 2 0"
        )
        try scene.offer("suite-downgrade")
        vectors.append(scene.finished)
        scene = try BundleScene(
            "suite-downgrade-second",
            "suite 1 of class 2 after a higher suite of it was seen",
            cases: [28, 29],
            rules: [18],
            pin: "1 \(Base64URL.string([UInt8](repeating: 3, count: 32))) 1 2"
        )
        try scene.offer("suite-downgrade") { $0.entries.append(try $0.entry(protectionClass: 2)) }
        vectors.append(scene.finished)
        scene = try BundleScene(
            "suite-of-other-class",
            "suite 1 of class 1 after a higher suite of class 2 was seen, which is remembered",
            cases: [28],
            rules: [18],
            pin: "1 \(Base64URL.string([UInt8](repeating: 3, count: 32))) 1 2"
        )
        try scene.offer("valid")
        try scene.offer("suite-downgrade") {
            $0.epoch += 1
            $0.entries.append(try $0.entry(protectionClass: 2))
        }
        vectors.append(scene.finished)
        scene = try BundleScene(
            "expired-pins-nothing",
            "a bundle that is refused is not remembered",
            cases: [29],
            rules: [16]
        )
        try scene.offer("expired") {
            $0.epoch = 9
            $0.entries[0].notAfter = start - 1
        }
        try scene.offer("valid") { $0.epoch = 8 }
        vectors.append(scene.finished)
        return vectors
    }
}
