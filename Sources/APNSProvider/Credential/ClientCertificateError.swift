public import APNS
import Transport

/// Why a certificate cannot be used for pushing. Never holds a byte of a key or a password.
public enum ClientCertificateError: Error, Equatable, Sendable {
    /// A file of this size is no certificate with its key.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// No certificate that can be read is there.
    case certificateUnreadable
    /// There is a certificate, and no key beside it.
    case privateKeyMissing
    /// There is a key, but what is inside is none.
    case privateKeyUnreadable
    /// No certificate is the key's.
    case privateKeyDoesNotMatch
    /// The key is encrypted and no password was given.
    case passwordNeeded
    /// The password is not the file's.
    case passwordWrong
    /// Not PKCS #12, or damaged.
    case pkcs12Unreadable
    /// A PKCS #12 file whose ciphers this machine's OpenSSL has not; the description says how to convert it.
    case legacyEncryption
    /// Nothing in it says that it is for APNs.
    case notForAPNs
    /// Its list of topics is not what Apple writes; what is wrong, and where.
    case topicsUnreadable(String)
    /// It is over: seconds since 1970.
    case expired(notAfter: Int64)
    /// It has not begun: seconds since 1970. More often than not it is the machine's clock that is wrong.
    case notYetValid(notBefore: Int64)
    /// It pushes to the other environment only.
    case wrongEnvironment(needed: ClientCertificate.Environment)
    /// OpenSSL refused; the call and its own text.
    case library(call: String, String)
}

extension ClientCertificateError: CustomStringConvertible {
    /// One sentence, with what to do where that is known.
    public var description: String {
        switch self {
        case .notForAPNs:
            "the certificate is not for APNs: it has neither of the extensions 1.2.840.113635.100.6.3.1 and .2, and no "
                + "name such as \"Apple Push Services: …\""
        case .topicsUnreadable(let fault): "the certificate's list of topics cannot be read: \(fault)"
        case .expired(let notAfter):
            "the certificate has expired (at \(notAfter) seconds since 1970): make a new one in Apple's developer account"
        case .notYetValid(let notBefore):
            "the certificate is valid only from \(notBefore) seconds since 1970: is the clock right?"
        case .wrongEnvironment(let needed): "the certificate may not push to the \(needed.rawValue) environment"
        default: identityError?.description ?? "the certificate cannot be used"
        }
    }
}
