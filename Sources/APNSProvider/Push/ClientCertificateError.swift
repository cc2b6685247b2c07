public import APNS
import Networking

/// Reason why a certificate cannot be used for pushing. Holds no byte of a key or password.
public enum ClientCertificateError: Error, Equatable, Sendable {
    /// Too large for a certificate with its key.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// No readable certificate.
    case certificateUnreadable
    /// Certificate without a key.
    case privateKeyMissing
    /// Unreadable key.
    case privateKeyUnreadable
    /// No certificate matches the key.
    case privateKeyDoesNotMatch
    /// Encrypted key without a password.
    case passwordNeeded
    /// Wrong password.
    case passwordWrong
    /// Not PKCS #12, or damaged.
    case pkcs12Unreadable
    /// PKCS #12 with ciphers that this OpenSSL lacks; the description tells how to convert it.
    case legacyEncryption
    /// Nothing in it is for APNs.
    case notForAPNs
    /// Its list of topics is malformed: the fault and its place.
    case topicsUnreadable(String)
    /// Expired: seconds since 1970.
    case expired(notAfter: Int64)
    /// Not yet valid: seconds since 1970. Usually the machine's clock is wrong.
    case notYetValid(notBefore: Int64)
    /// Valid for the other environment only.
    case wrongEnvironment(needed: ClientCertificate.Environment)
    /// OpenSSL failed: the call and its message.
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
            "the certificate is valid only from \(notBefore) seconds since 1970: check the clock"
        case .wrongEnvironment(let needed): "the certificate may not push to the \(needed.rawValue) environment"
        default: identityError?.description ?? "the certificate cannot be used"
        }
    }
}
