import Envelope
import Primitives
import TestSupport

/// Records of RFC 8291: its own example, damage that needs no keys, and plaintexts that its sender did not make.
enum WebPushVectors {
    /// RFC 8291, section 5: "ua_private" and "auth_secret".
    private static let keys = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94 BTBZMqHH6r4Tts7J_aSIgg"
    private static let record = decoded(
        """
        DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl\
        7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
        """
    )
    private static let shows = #"{"body":"When I grow up, I want to be a watermelon"}"#

    private static func decoded(_ text: String) -> [UInt8] {
        guard let bytes = Base64URL.decode(Array(text.utf8)) else {
            preconditionFailure("the example is spelled wrong")
        }
        return bytes
    }

    static func make() throws -> [Vector] { records() + (try plaintexts()) + (try messages()) }

    private static func records() -> [Vector] {
        // Header: salt 16, record size 4, key id length 1, key id 65; then the ciphertext.
        let faults: [(String, String, (inout [UInt8]) -> Void)] = [
            ("empty", "no bytes", { $0 = [] }),
            ("header-only", "a header and nothing behind it", { $0 = Array($0[..<86]) }),
            ("short", "the last byte is missing", { $0.removeLast() }),
            ("long", "a byte too many", { $0.append(0) }),
            ("salt", "another salt", { $0[0] ^= 1 }),
            ("salt-short", "a salt of 15 bytes", { $0.removeFirst() }),
            ("rs-17", "a record size of 17", { $0.replaceSubrange(16..<20, with: [0, 0, 0, 17]) }),
            ("rs-0", "a record size of 0", { $0.replaceSubrange(16..<20, with: [0, 0, 0, 0]) }),
            ("rs-too-small", "a record size below the record", { $0.replaceSubrange(16..<20, with: [0, 0, 0, 40]) }),
            ("keyid-64", "a key id of 64 bytes", { $0[20] = 64 }),
            ("keyid-0", "no key id", { $0[20] = 0 }),
            ("compressed", "a compressed point", { $0[21] = 2 }),
            (
                "infinity", "the point at infinity",
                { $0.replaceSubrange(21..<86, with: [UInt8](repeating: 0, count: 65)) }
            ),
            ("off-curve", "a point off the curve", { $0[85] ^= 1 }),
            ("flip", "a bit of the ciphertext", { $0[90] ^= 1 }),
            ("tag", "a bit of the tag", { $0[$0.count - 1] ^= 1 }),
        ]
        var vectors = faults.map { name, title, change in
            var bytes = record
            change(&bytes)
            return vector(name, title, [bytes], ["malformed"])
        }
        vectors.append(vector("example", "the example of RFC 8291", [record], ["unauthenticated"]))
        return vectors
    }

    /// Delimiter and padding of RFC 8188 section 2, and content that is no text (section 18).
    private static func plaintexts() throws -> [Vector] {
        let text = Array("Hi".utf8)
        let cases: [(name: String, title: String, padded: [UInt8], shows: String?)] = [
            ("padded", "a text and sixteen bytes of padding", text + [2] + zeros(16), #"{"body":"Hi"}"#),
            ("delimiter-1", "the delimiter of a record that others follow", text + [1], nil),
            ("delimiter-1-padded", "the same, with padding", text + [1] + zeros(16), nil),
            ("delimiter-3", "a delimiter that there is not", text + [3], nil),
            ("delimiter-none", "a text alone", text, nil),
            ("delimiter-zeros", "padding alone", zeros(16), nil),
            ("delimiter-nothing", "a tag alone", [], nil),
            ("padding-5", "a last byte of padding that is not zero", text + [2] + zeros(15) + [5], nil),
            ("padding-first", "a first byte of padding that is not zero", text + [2, 5] + zeros(15), nil),
            ("padding-delimiter-1", "padding that ends with the other delimiter", text + [2] + zeros(15) + [1], nil),
            ("no-text", "a delimiter alone", [2], nil),
            ("no-members", "an object without a text", Array("{}".utf8) + [2], nil),
            (
                "declarative", "a declarative message",
                Array(#"{"web_push":8030,"notification":{"title":"Hi","navigate":"https://a.example/"}}"#.utf8) + [2],
                #"{"title":"Hi"}"#
            ),
            (
                "declarative-nothing", "a declarative message without a notification",
                Array(#"{"web_push":8030,"title":"Hi"}"#.utf8) + [2], nil
            ),
            (
                "activation", "a Matrix server's request to activate a pusher",
                Array(#"{"app_id":"im.vector.app.ios","ack_token":"6fc76b70-5fad-4eb7-93ea-a1af7a03258b"}"#.utf8) + [2],
                #"{"app_id":"im.vector.app.ios","ack_token":"6fc76b70-5fad-4eb7-93ea-a1af7a03258b"}"#
            ),
            (
                "activation-other", "the same with a token that is no identifier",
                Array(#"{"app_id":"im.vector.app.ios","ack_token":"a b"}"#.utf8) + [2], nil
            ),
            ("nul", "a text with a NUL", text + [0, 0x21, 2], nil),
            ("bom", "a text behind a byte order mark", [0xEF, 0xBB, 0xBF] + text + [2], nil),
        ]
        return try cases.map { name, title, padded, shows in
            let expect = shows == nil ? "malformed" : "unauthenticated"
            return vector(name, title, [try record(of: padded)], [expect], shows: shows ?? "-")
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// The example's header with another text: under the example's keys, which are published.
    private static func record(of padded: [UInt8]) throws -> [UInt8] {
        let words = keys.split(separator: " ").map { decoded(String($0)) }
        let receiver = try P256PrivateKey(rawRepresentation: secret(words[0]))
        let sender = try P256PublicKey(x963Representation: Array(record[21..<86]))
        let keyInfo =
            Array("WebPush: info\0".utf8) + receiver.publicKey.x963Representation + sender.x963Representation
        let keyingMaterial = try derived(receiver.sharedSecret(with: sender), words[1], keyInfo, 32)
        let salt = Array(record[..<16])
        let key = try derived(keyingMaterial, salt, Array("Content-Encoding: aes128gcm\0".utf8), 16)
        let nonce = try derived(keyingMaterial, salt, Array("Content-Encoding: nonce\0".utf8), 12)
        let ciphertext = AESGCM.seal(padded, key: key, nonce: nonce.withBytes { [UInt8](copying: $0) }, aad: [])
        return Array(record[..<86]) + ciphertext
    }

    private static func secret(_ bytes: [UInt8]) -> SecretBytes {
        SecretBytes(byteCount: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
    }

    private static func derived(
        _ secret: borrowing SecretBytes,
        _ salt: [UInt8],
        _ info: [UInt8],
        _ byteCount: Int
    ) throws -> SecretBytes {
        let pseudorandomKey = unsafe HKDFSHA256.extract(salt: salt.span.bytes) { code in
            secret.withBytes { code.update($0) }
        }
        return try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: info, byteCount: byteCount)
    }

    private static func vector(
        _ name: String,
        _ title: String,
        _ records: [[UInt8]],
        _ expect: [String],
        shows: String = Self.shows
    ) -> Vector {
        var vector = Vector(name: "web-push-" + name, title: title, kind: "web-push", cases: [41], rules: [38])
        vector.add("key", keys)
        for outcome in expect {
            vector.add("expect", outcome)
            vector.add("shows", outcome == "unauthenticated" ? shows : "-")
        }
        vector.input = Array(records.map { Base64URL.encode($0) }.joined(separator: [UInt8(ascii: "\n")]))
        return vector
    }

    private static func messages() throws -> [Vector] {
        let field = Base64URL.string(record)
        var scene = try MessageScene("web-push-push", "a Web Push message, and its replay", cases: [43], rules: [38])
        scene.add("web-push", keys)
        let trace = scene.actors.random.bytes(count: 16)
        scene.deliver(
            payload: PushRecipe.payload(members: #""webpush":"\#(field)""#, trace: trace),
            "unauthenticated",
            shows: shows
        )
        scene.deliverAgain("replay")
        // The record size is not authenticated: it must not make a seen message new.
        var resized = record
        resized[18] = 0x0F
        scene.deliver(
            payload: PushRecipe.payload(members: #""webpush":"\#(Base64URL.string(resized))""#, trace: trace),
            "replay"
        )
        var off = try MessageScene("web-push-off", "a Web Push message where the app did not turn them on", rules: [38])
        off.deliver(
            payload: PushRecipe.payload(members: #""webpush":"\#(field)""#, trace: off.actors.random.bytes(count: 16)),
            "not-sealed"
        )
        var sealed = try MessageScene("web-push-in-sealed", "a Web Push record in the sealed field", rules: [38])
        sealed.add("web-push", keys)
        sealed.deliver(
            payload: PushRecipe.payload(
                members: #""sealed":"\#(field)""#,
                trace: sealed.actors.random.bytes(count: 16)
            ),
            "malformed"
        )
        return [scene.finished, off.finished, sealed.finished]
    }
}
