import HTTP
import Networking
import TestCertificates
import TestSupport
import Testing

extension CommandLineTests {
    struct ProviderBenchTests {
        private let folder: Folder
        private let loop: EventLoop
        private let server: HTTP2Server

        init() async throws {
            folder = try Folder()
            loop = try EventLoop()
            let authority = try TestAuthority()
            let identity = try authority.issue()
            try folder.write("ca.pem", bytes: authority.certificatePEM)
            let context = unsafe try TLSContext.server(
                certificateChainPEM: identity.certificatePEM,
                privateKeyPEM: identity.privateKeyPEM.span.bytes,
                alpn: ["h2"]
            )
            server = try await .start(
                address: "127.0.0.1",
                port: 0,
                context: context,
                loop: loop,
                limits: .patient
            ) { _ in Accepting() }
        }

        private func bench(_ arguments: String...) async throws -> Run {
            let common = ["provider", "--target", "localhost:\(server.port)", "--ca", "ca.pem"]
            return try await Invocation(common + arguments, of: Program.bench, in: folder).run()
        }

        @Test func `each mode sends what was asked for, and says what it took`() async throws {
            let run = try await bench("--notifications", "300", "--streams", "20", "--connections", "2", "--json")
            #expect(run.end == .exit(0), "\(run)")
            let lines = try run.output.split(separator: "\n").map { try JSONLine($0 + "\n") }
            #expect(try lines.map { try $0.text("mode") } == ["loop", "default", "batch"])
            for line in lines {
                #expect(try line.integer("notifications") == 300)
                #expect(try line.integer("not-200") == 0 && line.integer("no-answer") == 0)
                #expect(try line.integer("cpu-nanoseconds") > 0 && line.integer("peak-bytes") > 0)
            }
            await end()
        }

        @Test func `a server that seems far away takes at least its round trip`() async throws {
            let run = try await bench(
                "--notifications",
                "4",
                "--streams",
                "4",
                "--mode",
                "loop",
                "--round-trip",
                "30",
                "--json"
            )
            #expect(run.end == .exit(0), "\(run)")
            #expect(try JSONLine(run.output).integer("median-nanoseconds") >= 30_000_000)
            await end()
        }

        @Test func `a server that is not there is named`() async throws {
            let port = try HeldPort.deaf()
            let words = ["provider", "--target", "localhost:\(port.number)", "--ca", "ca.pem"]
            let run = try await Invocation(words, of: Program.bench, in: folder).run()
            #expect(run.end == .exit(1) && run.error.contains("localhost:\(port.number): "), "\(run)")
            await end()
        }

        private func end() async {
            await server.close()
            loop.stop()
        }
    }
}

private final class Accepting: HTTP2Handler {
    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        var headers = HeaderBlock()
        headers.append("apns-id", request.headers["apns-id"] ?? [])
        responder.respond(status: 200, headers: headers)
    }
}
