import Envelope
import Keys
import Primitives
import TestSupport

/// HPKE: bytes that cannot come from an honest sender.
enum EncryptionVectors {
    /// RFC 7748's points of small order, and their spellings beyond p.
    private static let lowOrder: [(String, String)] = [
        ("0", "0000000000000000000000000000000000000000000000000000000000000000"),
        ("1", "0100000000000000000000000000000000000000000000000000000000000000"),
        ("order-8-a", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        ("order-8-b", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
        ("minus-1", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        ("p", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        ("p-plus-1", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ]

    static func make() throws -> [Vector] { try flips() + lowOrderKeys() + bindings() + commitment() }

    private static func flips() throws -> [Vector] {
        let places: [(String, Int)] = [
            ("enc-first", 10), ("enc-last", 41), ("ct-first", 42), ("ct-middle", 1_500), ("ct-last", 2_863),
            ("tag-first", 2_864), ("tag-last", 2_879),
        ]
        return try places.map { name, offset in
            var scene = try MessageScene("flip-\(name)", "one bit is flipped: \(name)", cases: [24])
            try scene.deliver("malformed") { $0.changeEnvelope = { $0[offset] ^= 0x80 } }
            return scene.finished
        }
    }

    private static func lowOrderKeys() throws -> [Vector] {
        try lowOrder.map { name, hex in
            var scene = try MessageScene("enc-low-order-\(name)", "an encapsulated key of low order", cases: [21, 22])
            try scene.deliver("malformed") { $0.changeEnvelope = { $0.replaceSubrange(10..<42, with: bytes(hex)) } }
            return scene.finished
        }
    }

    private static func bindings() throws -> [Vector] {
        var vectors: [Vector] = []
        // LP("SealedPush/1") is 13 bytes, the header 10, LP(TOPIC) 17, IK 32, FP 32.
        let places: [(String, String, Int, [Int])] = [
            ("context", "another context string", 1, [42]), ("version", "another version", 13, [27]),
            ("suite", "another suite", 14, [28]), ("prekey-id", "another prekey id", 15, [27]),
            ("topic", "another app's topic", 24, [27]), ("identity", "another recipient's identity", 40, [27, 31]),
            ("fingerprint", "another prekey's fingerprint", 103, [27, 35]),
        ]
        for (name, title, offset, cases) in places {
            var scene = try MessageScene(
                "info-\(name)",
                "sealed with an info that names \(title)",
                cases: cases,
                rules: [1, 6]
            )
            try scene.deliver("malformed") { $0.changeInfo = { $0[offset] ^= 1 } }
            vectors.append(scene.finished)
        }
        var scene = try MessageScene("aad", "sealed with associated data, which must be empty", cases: [27], rules: [1])
        try scene.deliver("malformed") { $0.aad = [0] }
        vectors.append(scene.finished)
        scene = try MessageScene("other-topic", "an honest message for another app of the same person", rules: [5])
        try scene.deliver("malformed") { $0.topic = "com.example.chat.extension" }
        vectors.append(scene.finished)
        scene = try MessageScene("enc-swapped", "two messages whose encapsulated keys are swapped", cases: [27])
        var recipes = [PushRecipe(&scene.actors), PushRecipe(&scene.actors)]
        let envelopes = try recipes.map { try $0.envelope(random: &scene.actors.random) }
        for (index, other) in [(0, 1), (1, 0)] {
            recipes[index].changeField = { field in
                let mixed = envelopes[index][..<10] + envelopes[other][10..<42] + envelopes[index][42...]
                field = Base64URL.string(Array(mixed))
            }
            scene.deliver(payload: try recipes[index].payload(random: &scene.actors.random), "malformed")
        }
        vectors.append(scene.finished)
        return vectors
    }

    private static func commitment() throws -> [Vector] {
        var scene = try MessageScene(
            "two-prekeys",
            "with two prekeys held, only the one that the id names is tried",
            cases: [26, 35],
            rules: [6]
        )
        let other = scene.actors.random.bytes(count: 32)
        try scene.add(.held, secret: other, .unlocked)
        let otherID = try Actors.prekey(other, .unlocked).id(identity: scene.actors.identity)
        try scene.deliver("malformed") { $0.changeEnvelope = { $0.replaceSubrange(2..<10, with: otherID) } }
        return [scene.finished]
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
}
