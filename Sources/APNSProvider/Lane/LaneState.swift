import APNS

/// Whether a credential is still believed in. A bad one stops its own lane and no other, because each push with it is
/// an error that Apple counts.
struct LaneState {
    /// Refusals of a credential that worked before, in a row, until its lane is suspended: a topic outside a key's list
    /// is told with the same reason, and one such push must not stop all others.
    static let refusalCountMax = 3

    /// Why the lane is suspended; nil: it is not.
    private(set) var suspension: Reason?
    /// An answer came that only an accepted credential gets.
    private(set) var isProven = false
    private var refusalCount = 0

    /// - Parameter reason: of an answer or a GOAWAY; nil: accepted.
    /// - Returns: true when this suspends the lane.
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

    /// A server that only says goodbye tells nothing good of the credential.
    mutating func didGoAway(_ reason: Reason) -> Bool {
        guard suspension == nil, reason.blamesCredential else { return false }
        suspension = reason
        return true
    }

    /// Another credential, or the operator has mended what was wrong.
    mutating func resume() { self = LaneState() }
}

extension Reason {
    /// APNs does not believe that the provider is who it says; authentication comes before all other checks.
    var blamesCredential: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            true
        default: false
        }
    }
}
