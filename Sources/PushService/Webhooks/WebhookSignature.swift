package import Primitives

/// `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over id, seconds since 1970 and body, with periods between;
/// two of these, with a space between, while a secret is replaced.
///
/// - Source: Standard Webhooks 1.0, "Signature scheme" and "Webhook headers".
package enum WebhookSignature {
    package static let idFieldName = "webhook-id"
    package static let timeFieldName = "webhook-timestamp"
    package static let fieldName = "webhook-signature"

    package static func value(
        _ id: String,
        unixSeconds: Int64,
        body: [UInt8],
        secret: borrowing SecretBytes
    ) -> String {
        let code = secret.authenticationCode { code in
            code.update(Array("\(id).\(unixSeconds).".utf8))
            code.update(body)
        }
        return "v1," + base64(code)
    }

    /// Base64 with padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let digit = digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension SecretBytes {
    /// 32 bytes.
    func authenticationCode(_ feed: (inout HMACSHA256) -> Void) -> [UInt8] {
        let code = SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            withBytes { HMACSHA256.code(key: $0, into: &output, feed: feed) }
        }
        return code.withBytes { [UInt8](copying: $0) }
    }

    /// Writes a code that is no secret.
    func writeAuthenticationCode(to code: inout InlineArray<32, UInt8>, _ feed: (inout HMACSHA256) -> Void) {
        var span = code.mutableSpan
        var output = unsafe span.mutableBytes
        withBytes { HMACSHA256.code(key: $0, into: &output, feed: feed) }
    }
}
