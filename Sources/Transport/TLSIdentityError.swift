/// Why a certificate and its key could not be loaded. Never holds a byte of either, or of a password.
package enum TLSIdentityError: Error, Equatable, Sendable {
    /// A file of this size is no certificate with its key.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// The text has no certificate that can be read.
    case certificateUnreadable
    /// There is a certificate, and no key beside it.
    case privateKeyMissing
    /// There is a key, but what is inside is none.
    case privateKeyUnreadable
    /// No certificate is the key's.
    case privateKeyDoesNotMatchCertificate
    /// The key is encrypted and no password was given.
    case passwordNeeded
    case passwordWrong
    /// Not PKCS #12, or damaged, or without the checksum that tells a wrong password from damage.
    case pkcs12Unreadable
    /// Encrypted with ciphers that this machine's OpenSSL has not: those of macOS's keychain, say.
    case legacyEncryption
    case library(call: String, String)
}

extension TLSIdentityError: CustomStringConvertible {
    /// One sentence, with what to do where that is known.
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
                + "where it is installed, convert the file: openssl pkcs12 -legacy -in old.p12 -out identity.pem"
        case .library(let call, let text): "\(call): \(text)"
        }
    }
}
