package import APNS
import Envelope
package import Primitives

/// JWT that authenticates a team. Its holder can push for an hour: nothing prints it.
package struct ProviderToken: Sendable, Equatable {
    /// `iat`: seconds since 1970.
    package let issuedAt: Int64
    /// Value of the `authorization` header.
    package let authorization: [UInt8]

    /// - Parameter issuedAt: Seconds since 1970. Apple refuses tokens older than an hour.
    /// - Throws: `.key` if OpenSSL cannot sign.
    package init(
        signedWith key: borrowing ES256PrivateKey,
        keyID: KeyID,
        teamID: TeamID,
        issuedAt: Int64
    ) throws(ProviderError) {
        // Ten letters and digits need no escaping.
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        var token = Base64URL.encode(header.utf8)
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(claims.utf8)
        let signature: [UInt8]
        do throws(ES256Error) { signature = try key.signature(over: token) } catch { throw .key(error) }
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(signature)
        authorization = Array("bearer ".utf8) + token
        self.issuedAt = issuedAt
    }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "ProviderToken(issued at \(issuedAt))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
