import Envelope
import Primitives
import TestSupport

/// The way to the envelope: payload, alphabet, length, version, suite, prekey id.
enum SealedFieldVectors {
    static func make() throws -> [Vector] { try fields() + payloads() + headers() + prekeys() }

    private static func fields() throws -> [Vector] {
        let faults: [(String, String, (inout String) -> Void)] = [
            ("short", "one character is missing at the end", { $0.removeLast() }),
            ("long", "one character too many", { $0.append("A") }),
            ("empty", "the sealed field is empty", { $0 = "" }),
            ("padded", "an equals sign in the place of the last character", { $0 = $0.dropLast() + "=" }),
            ("extra-padding", "an equals sign behind the last character", { $0 += "=" }),
            ("plus", "a character of plain base64", { $0 = "+" + $0.dropFirst() }),
            ("slash", "the other character of plain base64", { $0 = $0.dropLast() + "/" }),
            ("space", "a space inside", { $0 = $0.prefix(100) + " " + $0.dropFirst(101) }),
            ("unicode-digit", "a digit that is not ASCII", { $0 = $0.prefix(100) + "٣" + $0.dropFirst(101) }),
        ]
        return try faults.map { name, title, change in
            var scene = try MessageScene("field-\(name)", title, cases: [10])
            try scene.deliver("malformed") { $0.changeField = change }
            return scene.finished
        }
    }

    private static func payloads() throws -> [Vector] {
        var vectors: [Vector] = []
        let values: [(String, String, String)] = [
            ("null", "null", "malformed"), ("number", "7", "malformed"), ("array", #"["AAAA"]"#, "malformed"),
            ("object", "{}", "malformed"), ("bool", "true", "malformed"), ("empty-string", #""""#, "malformed"),
        ]
        for (name, value, expect) in values {
            var scene = try MessageScene("sealed-\(name)", "the sealed field is no sealed text: \(name)", cases: [12])
            scene.deliver(
                payload: PushRecipe.payload(
                    members: #""sealed":\#(value)"#,
                    trace: scene.actors.random.bytes(count: 16)
                ),
                expect
            )
            vectors.append(scene.finished)
        }
        var scene = try MessageScene("not-sealed", "a push without a sealed field", cases: [1])
        scene.deliver(
            payload: PushRecipe.payload(members: "", trace: scene.actors.random.bytes(count: 16)),
            "not-sealed"
        )
        vectors.append(scene.finished)
        scene = try MessageScene("both-formats", "a push with both formats is neither", rules: [38])
        var recipe = PushRecipe(&scene.actors)
        recipe.changeField = { $0 += #"","webpush":"AAAA"# }
        scene.deliver(payload: try recipe.payload(random: &scene.actors.random), "malformed")
        vectors.append(scene.finished)
        return vectors
    }

    private static func headers() throws -> [Vector] {
        let faults: [(String, String, Int, UInt8, String, [Int])] = [
            ("version-0", "version 0", 0, 0, "unsupported", [11]),
            ("version-2", "a version of the future", 0, 2, "unsupported", [11]),
            ("version-255", "the last version", 0, 255, "unsupported", [11]),
            ("suite-0", "suite 0", 1, 0, "unsupported", [11]),
            (
                "suite-2", "the header says suite 2, which this version does not have", 1, 2, "unsupported",
                [11, 28, 38]
            ),
            ("suite-255", "a suite that nobody knows", 1, 255, "unsupported", [11]),
        ]
        return try faults.map { name, title, offset, value, expect, cases in
            var scene = try MessageScene("header-\(name)", title, cases: cases)
            try scene.deliver(expect) { $0.changeEnvelope = { $0[offset] = value } }
            return scene.finished
        }
    }

    private static func prekeys() throws -> [Vector] {
        var vectors: [Vector] = []
        for index in 2..<10 {
            var scene = try MessageScene(
                "prekey-id-byte-\(index - 2)",
                "byte \(index - 2) of the prekey id is another: no key is tried",
                cases: [26],
                rules: [6]
            )
            try scene.deliver("unknown-key") { $0.changeEnvelope = { $0[index] ^= 1 } }
            vectors.append(scene.finished)
        }
        var scene = try MessageScene(
            "prekey-destroyed",
            "a prekey that the device destroyed",
            cases: [26, 50],
            rules: [17],
            prekey: .destroyed
        )
        try scene.deliver("stale-key")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "prekey-unknown",
            "a device that has another prekey",
            cases: [26, 35, 45],
            rules: [20],
            prekey: .absent
        )
        try scene.add(.held, secret: scene.actors.random.bytes(count: 32), .afterFirstUnlock)
        try scene.deliver("unknown-key")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "prekey-locked",
            "a prekey that can be read only while the device is unlocked",
            cases: [49],
            rules: [19],
            prekey: .absent
        )
        let secret = scene.actors.random.bytes(count: 32)
        try scene.add(.locked, secret: secret, .unlocked)
        try scene.deliver("locked") {
            $0.prekeySecret = secret
            $0.protectionClass = .unlocked
        }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "prekey-superseded",
            "the prekey before the newest, still kept",
            cases: [50],
            rules: [17]
        )
        try scene.add(.held, secret: scene.actors.random.bytes(count: 32), .unlocked)
        try scene.deliver("opened")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "prekey-class-2",
            "a prekey of class 2 opens while it can be read",
            rules: [19],
            prekey: .absent
        )
        try scene.add(.held, secret: scene.actors.prekeySecret, .unlocked)
        try scene.deliver("opened") { $0.protectionClass = .unlocked }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "swapped-class",
            "a key sealed to as class 1 that the device holds as class 2",
            cases: [26, 27],
            rules: [6],
            prekey: .absent
        )
        try scene.add(.held, secret: scene.actors.prekeySecret, .unlocked)
        try scene.deliver("unknown-key")
        vectors.append(scene.finished)
        return vectors
    }
}
