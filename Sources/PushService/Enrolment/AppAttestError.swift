/// Reason why an object of App Attest proves nothing. Contains nothing of it.
package enum AppAttestError: Error, Equatable, Sendable, CaseIterable {
    case malformed
    case chain
    case nonce
    case keyID
    case appID
    case counter
    case environment
    case signature
}

extension AppAttestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "it is not of App Attest's form"
        case .chain: "its certificates lead to no root of 'root-file', or are out of date"
        case .nonce: "it attests other data than this challenge, endpoint key and registration"
        case .keyID: "it is of another key than 'key-id'"
        case .appID: "it is of another app or team"
        case .counter: "its counter is not one that comes next"
        case .environment: "it is of App Attest's other environment"
        case .signature: "its signature is not over this challenge, endpoint key and registration"
        }
    }
}
