import APNS

extension APNSEndpoint {
    /// `nil` for a server that is not Apple's.
    ///
    /// - Source: "Sending notification requests to APNs"; the host with "development" is an older name that still
    ///   works.
    package var environment: ClientCertificate.Environment? {
        switch host.lowercased() {
        case "api.push.apple.com": .production
        case "api.sandbox.push.apple.com", "api.development.push.apple.com": .sandbox
        default: nil
        }
    }
}
