import Glibc
import TestCertificates
import TestSupport
import Testing

@testable import PushService

/// An app whose certificate's key is encrypted under "right".
struct CertificateCredentialTests {
    private let folder: TemporaryFolder
    private let app: AppConfiguration
    private let now = Int64(time(nil))

    init() throws {
        folder = try TemporaryFolder()
        let authority = try TestAuthority()
        let identity = try authority.issueClient(
            userID: "com.example.chat",
            extensions: [AppleLikeCertificate.sandbox()]
        )
        let pem = try identity.certificatePEM + identity.encryptedKeyPEM(password: "right")
        _ = try folder.makeFile("b.p12", String(decoding: pem, as: UTF8.self))
        _ = try folder.makeFile("b.pw", "right\n")
        _ = try folder.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
        let text = ExampleConfiguration.text.replacing("/etc/sealedpush", with: folder.path(""))
        let configuration = try ServiceConfiguration(file: Array(text.utf8))
        app = try #require(configuration.tenants[0].apps.first { $0.endpoint != nil })
    }

    private func faults(at seconds: Int64) -> [CredentialError] {
        var reader = CredentialReader(unixSeconds: seconds)
        do throws(CredentialErrors) {
            _ = try reader.material(of: app)
            return []
        } catch {
            return error.all
        }
    }

    @Test func `a certificate with its password is a credential`() {
        #expect(faults(at: now) == [])
    }

    @Test func `a password that is not there or not the key's is a fault of the password's file`() throws {
        let field = "/credential/password-file"
        _ = try folder.makeFile("b.pw", "wrong")
        #expect(faults(at: now) == [.init(field: field, problem: "the password is wrong")])
        _ = try folder.makeFile("b.pw", "right", mode: 0o644)
        let open = "others may read the file (mode 0644); make it private: chmod 600"
        #expect(faults(at: now) == [.init(field: field, problem: open)])
        #expect(unsafe unlink(folder.path("b.pw")) == 0)
        #expect(faults(at: now) == [.init(field: field, problem: "there is no such file; check the path")])
    }

    @Test func `a certificate that is over says so with both days`() throws {
        let fault = try #require(faults(at: now + 40 * 86_400).first)
        #expect(fault.field == "/credential/certificate-file")
        #expect(fault.problem.hasPrefix("the certificate has expired: it ended on 2"))
        #expect(fault.problem.hasSuffix("; renew it, or set the clock"))
    }
}
