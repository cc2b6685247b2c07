import Transport

/// The same faults of a file, as an app sees them and as Transport does: one place says them in words.
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

    /// `nil` for what is not a fault of the file but of what it says.
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
