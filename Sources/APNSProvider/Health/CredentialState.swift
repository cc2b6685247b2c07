import APNS

/// Suspension of a credential: only its own client stops. Apple counts each further push as an error.
struct CredentialState {
    /// Consecutive refusals that suspend a proven credential. A topic outside a key's list gets the same reason and
    /// must not stop other pushes.
    static let refusalCountMax = 3

    private(set) var suspension: Reason?
    /// True after an answer that proves the credential accepted.
    private(set) var isProven = false
    private var refusalCount = 0

    /// - Returns: true if this suspends the credential.
    mutating func didAnswer(_ reason: Reason?) -> Bool {
        guard let reason, reason.blamesCredential else {
            isProven = true
            refusalCount = 0
            return false
        }
        refusalCount += 1
        guard suspension == nil, refusalCount >= Self.refusalCountMax || !isProven else { return false }
        suspension = reason
        return true
    }

    /// Unlike an answer, a GOAWAY proves nothing good of the credential.
    mutating func didGoAway(_ reason: Reason) -> Bool {
        guard suspension == nil, reason.blamesCredential else { return false }
        suspension = reason
        return true
    }

    mutating func resume() { self = CredentialState() }
}

extension Reason {
    /// Authentication comes before all other checks.
    var blamesCredential: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            true
        default: false
        }
    }
}
