import Envelope
import Primitives
import TestSupport

/// Server that signs its pushes.
final class VAPIDSigner {
    private let key: ES256PrivateKey
    /// 87 characters of base64url.
    let keyText: String

    static func first() throws -> VAPIDSigner { try VAPIDSigner(ThrowawayKeys.first(), ThrowawayKeys.firstPEM) }
    static func second() throws -> VAPIDSigner { try VAPIDSigner(ThrowawayKeys.second(), ThrowawayKeys.secondPEM) }

    /// The point is the file's last 65 bytes.
    private init(_ key: consuming ES256PrivateKey, _ pem: String) throws {
        self.key = key
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let text = base64.replacing("+", with: "-").replacing("/", with: "_")
        keyText = Base64URL.string(Base64URL.decode(Array(text.utf8))!.suffix(65))
    }

    func token(_ claims: String, header: String = #"{"typ":"JWT","alg":"ES256"}"#) throws -> String {
        let signed = Base64URL.string(Array(header.utf8)) + "." + Base64URL.string(Array(claims.utf8))
        return signed + "." + Base64URL.string(try key.signature(over: Array(signed.utf8)))
    }

    func authorization(_ audience: String = "https://push.example.com", expiry: Int64) throws -> String {
        let claims = #"{"aud":"\#(audience)","exp":\#(expiry),"sub":"mailto:admin@example.com"}"#
        return "vapid t=\(try token(claims)), k=\(keyText)"
    }
}
