import Envelope
import TestCertificates
import TestSupport
import Testing

extension CommandLineTests {
    /// `send --binary-interface`, over the gateway of a simulator that is a process.
    struct BinaryInterfaceTests {
        private let folder: Folder
        private let site: Site

        init() async throws {
            folder = try Folder()
            let authority = try TestAuthority()
            try folder.write("ca.pem", bytes: authority.certificatePEM)
            for app in [Workplace.topic, "com.example.other"] {
                let identity = try authority.issueClient(userID: app)
                try folder.write(app, bytes: identity.certificatePEM + identity.privateKeyPEM)
            }
            site = try await Site(Site.simulator + ["--gateway-port", "0", "--client-ca", folder.file("ca.pem")])
        }

        private func clearPush() throws -> String {
            try site.place.folder.write("clear.json", #"{"aps":{"alert":{"title":"Ada","body":"As in 2009"}}}"#)
        }

        private func send(
            _ push: String,
            as app: String = Workplace.topic,
            to port: Int64? = nil,
            _ more: String...
        ) async throws -> Run {
            let port = try port ?? site.ready.integer("gateway-port")
            return try await site.place.run(
                [
                    "send", push, "--binary-interface", "--certificate", folder.file(app), "--to-file", "token",
                    "--server", "localhost:\(port)", "--ca", Program.keys + "/ca.pem",
                ] + more
            )
        }

        @Test func `the device shows what was sent over the binary interface`() async throws {
            let device = try await site.connectDevice("--json", "--count", "1")
            let sent = try await send(try clearPush(), "--allow-clear")
            try #require(sent.isDone && sent.output == "accepted over the binary interface\n", "\(sent)")
            #expect(try await device.event("shown").text("body") == "As in 2009")
            #expect(try await device.end().isDone)
        }

        @Test func `a device of another app is refused, and a program gets the status`() async throws {
            let device = try await site.connectDevice()
            let sent = try await send(try clearPush(), as: "com.example.other", "--allow-clear", "--json")
            #expect(sent.end == .exit(1) && sent.output == #"{"outcome":"refused","status":8}"# + "\n", "\(sent)")
            #expect(sent.error.contains("status 8: it knows no such device token"), "\(sent)")
            device.stop()
        }

        /// Padded to hide its length, it exceeds every limit that the interface had.
        @Test func `a sealed payload is too large for it, and that is said`() async throws {
            let device = try await site.connectDevice()
            let sent = try await send(try await site.place.push())
            #expect(sent.isRefused("push.json was not sent: ", "the interface takes 2048"), "\(sent)")
            device.stop()
        }

        @Test func `a gateway that is not there is said`() async throws {
            let device = try await site.connectDevice()
            let port = try HeldPort.deaf()
            let sent = try await send(try clearPush(), to: Int64(port.number), "--allow-clear")
            #expect(sent.isRefused("the push was not sent: "), "\(sent)")
            device.stop()
        }
    }
}
