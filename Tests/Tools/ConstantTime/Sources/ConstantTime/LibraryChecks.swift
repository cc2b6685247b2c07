import AttachmentStream
import COpenSSL
import Envelope
import Keys
import Primitives
import WebPush

/// P-256, ES256 and AES-GCM, which OpenSSL computes; attachments and Web Push above them; key files.
enum LibraryChecks {
    static func results() throws -> [Check] {
        // OpenSSL loads its providers and tables once.
        _ = try signature(by: try signingKey(isSecret: false))
        return try aesGCM() + p256() + es256() + keyFile()
    }

    private static func aesGCM() throws -> [Check] {
        var random = SystemRandom()
        let nonce = random.bytes(count: 12)
        let context = Array("context".utf8)
        var results: [Check] = []
        for byteCount in [16, 32] {
            let key = random.secret(byteCount: byteCount)
            let box = AESGCM.seal([1, 2, 3], key: key, nonce: nonce, aad: [])
            let hidden = key.withBytes { Secrets.copy($0) }
            results.append(
                Check("AES-\(8 * byteCount)-GCM, seal", allowed: 0) {
                    AESGCM.seal([1, 2, 3], key: hidden, nonce: nonce, aad: [])
                }
            )
            results.append(
                // The tag's verdict.
                try Check("AES-\(8 * byteCount)-GCM, open", allowed: 1) {
                    try AESGCM.open(box[...], key: hidden, nonce: nonce, aad: [])
                }
            )
        }
        let key = random.secret(byteCount: 32)
        var sealed: [UInt8] = []
        var sealer = ChunkSealer(key: key, salt: random.bytes(count: 24), context: context)
        sealed += sealer.head
        let plaintext = random.bytes(count: 20_000)
        try sealer.update(unsafe plaintext.span.bytes) { sealed += [UInt8](copying: $0) }
        try sealer.finish { sealed += [UInt8](copying: $0) }
        let salt = random.bytes(count: 24)
        let hidden = key.withBytes { Secrets.copy($0) }
        results.append(
            try Check("attachment, seal two chunks", allowed: 0) {
                var sealer = ChunkSealer(key: hidden, salt: salt, context: context)
                var bytes = sealer.head
                try sealer.update(unsafe plaintext.span.bytes) { bytes += [UInt8](copying: $0) }
                try sealer.finish { bytes += [UInt8](copying: $0) }
                return bytes
            }
        )
        results.append(
            // The commitment's verdict, and two tags'.
            try Check("attachment, commitment and two chunks", allowed: 3) {
                var opener = ChunkOpener(key: key.withBytes { Secrets.copy($0) }, context: context)
                var byteCount = 0
                try opener.update(unsafe sealed.span.bytes) { byteCount += $0.byteCount }
                try opener.finish { byteCount += $0.byteCount }
                return byteCount
            }
        )
        return results
    }

    private static func p256() throws -> [Check] {
        var random = SystemRandom()
        let peer = try P256PrivateKey(random: &random).publicKey
        // OpenSSL skips leading zeros, so that their number shows: one key in 256 has one (BN_bin2bn).
        var bytes = random.secret(byteCount: 32)
        bytes.withMutableBytes { $0.storeBytes(of: 0x5A, toByteOffset: 0, as: UInt8.self) }
        let key = try P256PrivateKey(rawRepresentation: bytes.copy())
        key.withRawRepresentation { Secrets.mark($0) }
        let number = decoded("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
        let receiver = try P256PrivateKey(rawRepresentation: number)
        receiver.withRawRepresentation { Secrets.mark($0) }
        let authentication = decoded("BTBZMqHH6r4Tts7J_aSIgg")
        authentication.withBytes { Secrets.mark($0) }
        let opener = WebPushOpener(keys: WebPushKeys(privateKey: receiver, authenticationSecret: authentication))
        // RFC 8291, appendix A.
        let record = try WebPushOpener.record(
            field: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6"
                + "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        return [
            // The number is read (2) and is below the order (2); has the public key a zero in a highest word (4)?
            try Check("P-256, public key of a private one", allowed: 8) {
                try P256PrivateKey(rawRepresentation: bytes.withBytes { Secrets.copy($0) })
            },
            // The same four; one for each of 51 additions: are both points equal? (ecp_nistz256-x86_64.pl; so with a
            // chance of 2^-250); six times, is a number too long, or its highest word zero?
            try Check("P-256, agreement", allowed: 61) { try key.sharedSecret(with: peer) },
            // Besides: the tag's verdict, and the text's end.
            try Check("Web Push, open", allowed: 64) { try opener.open(record: record) },
        ]
    }

    private static func es256() throws -> [Check] {
        let key = try signingKey(isSecret: false)
        // OpenSSL keeps the number in words, the lowest first.
        let number = Array(try scalar().reversed())
        guard try Secrets.markAll(number) > 0 else { throw Missing() }
        return [
            // Not in constant time: OpenSSL reads PEM with tables. Once at a start and at a reload.
            try Check("ES256, read a .p8 file", allowed: 1_151) { try signingKey(isSecret: true) },
            // Is the nonce below the order, and not zero (2)? Are nonce and key longer than 256 bits (3)? Has one of the
            // numbers a zero in its highest word (8)? public.supp has the decisions on published values.
            try Check("ES256, signature", allowed: 13) { try key.signature(over: [1, 2, 3]) },
        ]
    }

    private static func keyFile() throws -> [Check] {
        var random = SystemRandom()
        let secret = Base64URL.string(random.bytes(count: 32))
        let head = "sealedpush-sender-key-1\nsender "
        let text = Secrets.text(head + secret + "\n", secret: head.utf8.count..<head.utf8.count + secret.utf8.count)
        return [
            // Each of 43 characters ends no line and, twice, no word; the verdict.
            try Check("key file, 32 bytes in base64url", allowed: 3 * 43 + 1) {
                let file = try KeyFile(
                    bytes: text.copy(),
                    path: "",
                    format: "sealedpush-sender-key-1",
                    lineNames: ["sender"]
                )
                return try file.secret(file.values("sender")[0][0], storage: .plain)
            }
        ]
    }

    static func signature(by key: borrowing ES256PrivateKey) throws -> [UInt8] { try key.signature(over: [1, 2, 3]) }

    /// The private value stands at bytes 36 to 68 of the DER text (RFC 5915): all characters of base64 are marked that
    /// hold nothing else.
    static func signingKey(isSecret: Bool) throws -> ES256PrivateKey {
        let pem = try WholeFile.read("../../../keys-example/provider.p8", byteCountMax: 4_096)
        let text = SecretBytes(copying: unsafe pem.span.bytes)
        let start = (pem.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
        // Lines have 64 characters.
        let ranges = [start + 48..<start + 64, start + 65..<start + 91]
        if isSecret { text.withBytes { bytes in for range in ranges { Secrets.mark(bytes.extracting(range)) } } }
        return try text.withBytes { span throws(ES256Error) in try ES256PrivateKey(pem: span) }
    }

    struct Missing: Error {}

    private static func scalar() throws -> [UInt8] {
        let pem = try WholeFile.read("../../../keys-example/provider.p8", byteCountMax: 4_096)
        let text = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let url = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        return Array((Base64URL.decode(text: String(url)) ?? [])[36..<68])
    }

    private static func decoded(_ text: String) -> SecretBytes {
        let bytes = Base64URL.decode(text: text) ?? []
        return SecretBytes(copying: unsafe bytes.span.bytes)
    }
}
