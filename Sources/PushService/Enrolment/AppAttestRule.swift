package import APNS
package import Envelope
package import Networking
import Primitives

/// App of which an object of App Attest must be, and the authority that vouches for it.
package struct AppAttestRule: Sendable {
    /// SHA-256 of team id and bundle id, `ABCDE12345.com.example.chat`.
    let appIDHash: [UInt8]
    /// 16 bytes.
    let environmentID: [UInt8]
    let roots: [TLSCertificate]

    package init(teamID: String, app: BundleID, environment: APNSEnvironment, roots: [TLSCertificate]) {
        appIDHash = SHA256.hash(Array("\(teamID).\(app.text)".utf8))
        let name = environment == .production ? "appattest" : "appattestdevelop"
        environmentID = Array(name.utf8) + Array(repeating: 0, count: 16 - name.utf8.count)
        self.roots = roots
    }
}
