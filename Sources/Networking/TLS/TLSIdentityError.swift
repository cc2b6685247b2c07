/// Failure to load a certificate and key. Never holds a byte of either, or of a password.
package enum TLSIdentityError: Error, Equatable, Sendable {
    case tooLong(byteCount: Int, byteCountMax: Int)
    case certificateUnreadable
    case privateKeyMissing
    /// Key block without a readable key.
    case privateKeyUnreadable
    case privateKeyDoesNotMatchCertificate
    case passwordNeeded
    case passwordWrong
    /// Not PKCS #12, damaged, or without the checksum that tells damage from a wrong password.
    case pkcs12Unreadable
    /// Ciphers missing in this OpenSSL, such as the macOS keychain's.
    case legacyEncryption
    case library(call: String, String)
}

extension TLSIdentityError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let byteCount, let byteCountMax):
            "\(byteCount) bytes are too many for a certificate and its key: at most \(byteCountMax)"
        case .certificateUnreadable: "there is no certificate that can be read"
        case .privateKeyMissing: "there is no private key beside the certificate"
        case .privateKeyUnreadable: "the private key cannot be read"
        case .privateKeyDoesNotMatchCertificate: "the private key is not the certificate's"
        case .passwordNeeded: "the private key is encrypted: it needs a password"
        case .passwordWrong: "the password is wrong"
        case .pkcs12Unreadable: "the file is not PKCS #12, or it is damaged"
        case .legacyEncryption:
            "the file is encrypted with ciphers that OpenSSL keeps in its provider \"legacy\", which is missing here; "
                + "with it, convert the file: openssl pkcs12 -legacy -in old.p12 -out identity.pem"
        case .library(let call, let text): "\(call): \(text)"
        }
    }
}
