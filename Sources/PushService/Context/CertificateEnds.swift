import APNS
import Envelope
import PushStore

/// Ends of certificates, in seconds since 1970.
struct CertificateEnds: Sendable {
    struct App: Hashable {
        let tenant: TenantID
        let bundleID: BundleID
        let environment: APNSEnvironment
    }

    var server: Int64?
    var apps: [App: Int64] = [:]
}
