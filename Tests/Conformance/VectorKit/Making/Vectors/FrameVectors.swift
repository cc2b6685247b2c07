import Envelope
import Keys
import Primitives
import TestSupport

enum FrameVectors {
    static func make() throws -> [Vector] { try structure() + flags() + signatures() + senders() }

    private static func structure() throws -> [Vector] {
        let faults: [(String, String, [Int], (inout [UInt8]) -> Void)] = [
            ("body-length-0", "a body length of 0", [17], { $0.setBodyLength(0) }),
            ("body-length-1", "a body length of 1", [17], { $0.setBodyLength(1) }),
            ("body-length-beyond", "a body length one beyond the frame", [17], { $0.setBodyLength(2_691) }),
            ("body-length-max", "the greatest body length", [17], { $0.setBodyLength(65_535) }),
            ("body-length-shorter", "a body length that cuts the body", [17, 18], { $0.setBodyLength(2) }),
            ("body-length-longer", "a body length that takes padding in", [17], { $0.setBodyLength(2_690) }),
            ("padding-first", "the first byte of the padding is not zero", [18], { $0[132 + 30] = 1 }),
            ("padding-last", "the last byte of the padding is not zero", [18], { $0[$0.count - 1] = 0x80 }),
            ("padding-marker", "padding that begins with 0x80", [18], { $0[132 + 30] = 0x80 }),
        ]
        var vectors: [Vector] = []
        for (name, title, cases, change) in faults {
            var scene = try MessageScene("frame-\(name)", title, cases: cases, rules: [9])
            try scene.deliver("malformed") {
                $0.setBody(#"{"title":"Ada","body":"Hello"}"#)
                $0.changeFrame = change
            }
            vectors.append(scene.finished)
        }
        let whole = #"{"title":"Ada","body":""}"#.utf8.count
        var scene = try MessageScene(
            "frame-full",
            "a body that fills the frame, without padding",
            cases: [25],
            rules: [9]
        )
        let text = String(repeating: "x", count: 2_690 - whole)
        try scene.deliver("opened", shows: #"{"title":"Ada","body":"\#(text)"}"#) {
            $0.setBody(#"{"title":"Ada","body":"\#(text)"}"#)
        }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "voip",
            "an envelope of the other length, where it belongs",
            contact: "service call",
            voip: true
        )
        try scene.deliver("opened", shows: #"{"op":"call","call":"room 7"}"#) {
            $0.pushClass = .voip
            $0.setBody(#"{"op":"call","call":"room 7"}"#)
            $0.expiresAt = $0.sentAt + 60_000
        }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "voip-in-alert",
            "an envelope of the other length, where it does not belong",
            cases: [23, 25]
        )
        try scene.deliver("malformed") { $0.pushClass = .voip }
        vectors.append(scene.finished)
        return vectors
    }

    private static func flags() throws -> [Vector] {
        var vectors: [Vector] = []
        for bit in 8..<16 {
            var scene = try MessageScene(
                "flag-critical-\(bit)",
                "critical flag \(bit), which nobody knows yet",
                cases: [11]
            )
            try scene.deliver("unsupported") { $0.flags = 1 << bit }
            vectors.append(scene.finished)
        }
        var scene = try MessageScene("flags-ignorable", "all flags that may be ignored")
        try scene.deliver("opened") { $0.flags = 0xFE }
        vectors.append(scene.finished)
        scene = try MessageScene("flag-truncated", "a text that its sender shortened")
        try scene.deliver("opened", shows: #"{"title":"Ada","body":"Hello","truncated":true}"#) { $0.flags = 1 }
        vectors.append(scene.finished)
        return vectors
    }

    private static func signatures() throws -> [Vector] {
        let faults: [(String, String, [Int], (inout PushRecipe) throws -> Void)] = [
            ("zero", "a signature of zeros", [30], { $0.changeSignature = { $0 = [UInt8](repeating: 0, count: 64) } }),
            ("flipped", "one bit of the signature is flipped", [30], { $0.changeSignature = { $0[0] ^= 1 } }),
            (
                "s-plus-l", "S plus the group order: the same signature in another spelling", [30],
                { $0.changeSignature = { $0.addGroupOrder() } }
            ),
            (
                "small-order-r", "R of small order", [30],
                { $0.changeSignature = { $0.replaceSubrange(0..<32, with: smallOrder) } }
            ),
            (
                "non-canonical-r", "R beyond p", [30],
                { $0.changeSignature = { $0.replaceSubrange(0..<32, with: beyondP) } }
            ),
            ("small-order-key", "a sender's key of small order", [30], { $0.senderKey = smallOrder }),
            ("non-canonical-key", "a sender's key beyond p", [30], { $0.senderKey = beyondP }),
            (
                "other-key", "the signature is another sender's", [30],
                { $0.senderSeed = [UInt8](repeating: 7, count: 32) }
            ),
            (
                "other-message", "the signature is that of another message", [30],
                { $0.changeSignatureInput = { $0[$0.count - 1] ^= 1 } }
            ),
            (
                "without-info", "the signature leaves info out", [30, 31],
                { $0.changeSignatureInput = { $0 = Array($0[..<21] + $0[125...]) } }
            ),
            (
                "bundle-context", "signed in the context of bundles", [30],
                {
                    $0.changeSignatureInput = {
                        $0.replaceSubrange(0..<21, with: [19] + Array("SealedPush/1 bundle".utf8))
                    }
                }
            ),
            ("no-context", "signed without a context", [30], { $0.changeSignatureInput = { $0.removeFirst(21) } }),
            ("id-changed", "the message id is changed behind the signature", [30], { $0.changeFrame = { $0[0] ^= 1 } }),
            ("sent-changed", "sent-at is changed behind the signature", [30], { $0.changeFrame = { $0[23] ^= 1 } }),
            (
                "expiry-changed", "expires-at is changed behind the signature", [30],
                { $0.changeFrame = { $0[31] ^= 1 } }
            ),
            ("flags-changed", "a flag is changed behind the signature", [30], { $0.changeFrame = { $0[65] ^= 1 } }),
            (
                "body-changed", "the body is changed behind the signature", [30],
                { $0.changeFrame = { $0[132 + 12] ^= 1 } }
            ),
        ]
        return try faults.map { name, title, cases, change in
            var scene = try MessageScene("signature-\(name)", title, cases: cases, rules: [2, 3, 7])
            try scene.deliver("malformed", change)
            return scene.finished
        }
    }

    private static func senders() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene(
            "sender-unknown",
            "well signed by nobody that the device knows",
            rules: [21],
            contact: nil
        )
        try scene.deliver("unverified-sender")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "sender-unknown-bad-signature",
            "badly signed by nobody that the device knows",
            cases: [30],
            contact: nil
        )
        try scene.deliver("malformed") { $0.changeSignature = { $0[40] ^= 1 } }
        vectors.append(scene.finished)
        // The first recipient's opened frame is wrapped again, signature and all, for this device.
        scene = try MessageScene(
            "forwarded",
            "a message to somebody else, wrapped again for this device",
            cases: [31],
            rules: [2]
        )
        let (_, identity) = (
            0, try IdentityKey(rawRepresentation: try Actors.publicKey(ofSeed: scene.actors.random.bytes(count: 32)))
        )
        try scene.deliver("malformed") { recipe in
            let other = Array(identity.rawRepresentation)
            // The signature covers the other recipient's identity; the seal is for this one.
            recipe.changeSignatureInput = { $0.replaceSubrange(61..<93, with: other) }
        }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "wrapped-again",
            "a recipient that wraps a message again for itself has made a replay",
            cases: [34],
            rules: [2]
        )
        let id = scene.actors.random.bytes(count: 16)
        try scene.deliver("opened") { $0.messageID = id }
        try scene.deliver("replay") { $0.messageID = id }
        vectors.append(scene.finished)
        return vectors
    }

    /// y = 1: the neutral point.
    private static let smallOrder = [1] + [UInt8](repeating: 0, count: 31)
    /// p + 3, a point's y in a second spelling.
    private static let beyondP = [0xF0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
}

extension [UInt8] {
    fileprivate mutating func setBodyLength(_ length: UInt16) {
        self[66] = UInt8(length >> 8)
        self[67] = UInt8(length & 0xFF)
    }

    /// S + L, little-endian, in the second half of a signature.
    fileprivate mutating func addGroupOrder() {
        let order: [UInt8] =
            [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
            + [UInt8](repeating: 0, count: 15) + [0x10]
        var carry = 0
        for index in 0..<32 {
            let sum = Int(self[32 + index]) + Int(order[index]) + carry
            self[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
    }
}
