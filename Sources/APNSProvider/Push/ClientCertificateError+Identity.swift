import Networking

/// Networking has the texts of a file's faults.
extension ClientCertificateError {
    init(_ error: TLSIdentityError) {
        self =
            switch error {
            case .tooLong(let byteCount, let byteCountMax): .tooLong(byteCount: byteCount, byteCountMax: byteCountMax)
            case .certificateUnreadable: .certificateUnreadable
            case .privateKeyMissing: .privateKeyMissing
            case .privateKeyUnreadable: .privateKeyUnreadable
            case .privateKeyDoesNotMatchCertificate: .privateKeyDoesNotMatch
            case .passwordNeeded: .passwordNeeded
            case .passwordWrong: .passwordWrong
            case .pkcs12Unreadable: .pkcs12Unreadable
            case .legacyEncryption: .legacyEncryption
            case .library(let call, let text): .library(call: call, text)
            }
    }

    /// `nil` for faults of the content.
    var identityError: TLSIdentityError? {
        switch self {
        case .tooLong(let byteCount, let byteCountMax): .tooLong(byteCount: byteCount, byteCountMax: byteCountMax)
        case .certificateUnreadable: .certificateUnreadable
        case .privateKeyMissing: .privateKeyMissing
        case .privateKeyUnreadable: .privateKeyUnreadable
        case .privateKeyDoesNotMatch: .privateKeyDoesNotMatchCertificate
        case .passwordNeeded: .passwordNeeded
        case .passwordWrong: .passwordWrong
        case .pkcs12Unreadable: .pkcs12Unreadable
        case .legacyEncryption: .legacyEncryption
        case .library(let call, let text): .library(call: call, text)
        case .notForAPNs, .topicsUnreadable, .expired, .notYetValid, .wrongEnvironment: nil
        }
    }
}
