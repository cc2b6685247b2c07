import Foundation
import TestCertificates
import Testing

extension CommandLineTests {
    struct BlobsTests {
        private static let certificate = [
            "--certificate", Program.keys + "/simulator.pem", "--certificate-key", Program.keys + "/simulator.key",
        ]

        private let folder: Folder

        init() throws { folder = try Folder() }

        private func blobs(_ arguments: String...) async throws -> Run {
            try await Invocation(arguments, of: Program.blobs, in: folder).run()
        }

        private func makeTenant() async throws {
            let made = try await blobs("token", "--name", "acme", "--out", "acme.token", "--bytes", "5000000")
            #expect(made.isDone, "\(made)")
            try folder.write("tenants", made.output)
        }

        private func start() async throws -> (host: LiveProcess, port: Int64) {
            let arguments =
                ["serve", "--folder", "blobs", "--tenants", "tenants", "--port", "0", "--json"] + Self.certificate
                + Workplace.allow
            let host = try Invocation(arguments, of: Program.blobs, in: folder).start()
            return (host, try await host.event("ready").integer("port"))
        }

        private func upload(_ file: String, _ port: Int64) async throws -> Run {
            try await Run.sealedpush(
                "attachment",
                "upload",
                file,
                "--to",
                "https://localhost:\(port)",
                "--token-file",
                "acme.token",
                "--ca",
                Program.keys + "/ca.pem",
                in: folder
            )
        }

        private func download(_ url: String, _ port: Int64) throws -> TestClient.Response? {
            let client = try TestClient(port: UInt16(port))
            let path = url.dropFirst("https://localhost:\(port)".count)
            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.response()
        }

        @Test func `a token goes into a file, its hash to standard output`() async throws {
            let made = try await blobs("token", "--name", "acme", "--out", "acme.token")
            #expect(made.isDone, "\(made)")
            let words = made.output.split { $0.isWhitespace }
            #expect(words.count == 4 && words[0] == "acme" && words[2] == "10737418240" && words[3] == "16")
            let token = try folder.text("acme.token").dropLast()
            #expect(token.utf8.count == 43 && !made.output.contains(token))
            #expect(try folder.mode("acme.token") == 0o600)
            let again = try await blobs("token", "--name", "acme", "--out", "acme.token")
            #expect(again.isRefused("acme.token exists already and was not changed"), "\(again)")
        }

        @Test func `what is uploaded can be fetched, also after a restart`() async throws {
            try await makeTenant()
            let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 11) }
            try folder.write("stored", bytes: bytes)
            let (host, port) = try await start()
            let uploaded = try await upload("stored", port)
            #expect(uploaded.isDone, "\(uploaded)")
            let url = uploaded.output.trimmingCharacters(in: .newlines)
            #expect(try download(url, port)?.body == bytes)
            host.stop()
            let end = try await host.end()
            #expect(end.end == .exit(0) && end.error.isEmpty, "\(end)")
            // There was only the line that it is ready.
            #expect(end.output.split(separator: "\n").count == 1)
            let (second, nextPort) = try await start()
            let path = url.dropFirst("https://localhost:\(port)".count)
            #expect(try download("https://localhost:\(nextPort)\(path)", nextPort)?.body == bytes)
            second.stop()
            #expect(try await second.end().end == .exit(0))
        }

        @Test func `what the host refuses is said`() async throws {
            try await makeTenant()
            try folder.write("large", bytes: [UInt8](repeating: 0, count: 5_000_001))
            try folder.write("small", "hello")
            let (host, port) = try await start()
            let full = try await upload("large", port)
            #expect(full.isRefused("large: the tenant's quota is used up"), "\(full)")
            try folder.write("acme.token", "wrong\n")
            let stranger = try await upload("small", port)
            #expect(stranger.isRefused("small: the host refuses the token"), "\(stranger)")
            let nothing = try await upload("nothing", port)
            #expect(nothing.isRefused("nothing: No such file"), "\(nothing)")
            host.stop()
            #expect(try await host.end().end == .exit(0))
        }

        @Test func `a second host for a folder is refused`() async throws {
            try await makeTenant()
            let (host, _) = try await start()
            let arguments =
                ["serve", "--folder", "blobs", "--tenants", "tenants", "--port", "0"] + Self.certificate
                + Workplace.allow
            let second = try await Invocation(arguments, of: Program.blobs, in: folder).run()
            #expect(second.isRefused("blobs: another process uses this folder"), "\(second)")
            host.stop()
            #expect(try await host.end().end == .exit(0))
        }

        @Test func `a list of tenants with a typing mistake is refused at its line`() async throws {
            try folder.write("tenants", "# tenants\nacme secret 1 1\n")
            let arguments = ["serve", "--folder", "blobs", "--tenants", "tenants", "--port", "0"]
            let run = try await Invocation(
                arguments + Self.certificate + Workplace.allow,
                of: Program.blobs,
                in: folder
            ).run()
            #expect(run.isRefused("tenants:2: not a line of 'sealedpush-blobs token'"), "\(run)")
            #expect(!run.error.contains("secret"))
        }

        @Test(
            arguments: [
                (["serve"], "--folder is missing"), (["serve", "--folder", "x"], "--tenants is missing"),
                (["list"], "there is no command 'list'"), (["token"], "--name is missing"),
                (["token", "--name", "a b", "--out", "x"], "--name has up to 64 visible ASCII characters"),
                (["token", "--name", "a"], "--out is missing"),
                (["token", "--name", "a", "--out", "x", "--bytes", "-1"], "--bytes must be a number from 1"),
            ] as [([String], String)]
        )
        func `a mistake is wrong usage and is named`(_ arguments: [String], _ words: String) async throws {
            let run = try await Invocation(arguments, of: Program.blobs, in: folder).run()
            #expect(run.isWrongUsage(words), "\(run)")
            #expect(try folder.names == [])
        }

        @Test(
            arguments: [
                (["attachment", "upload"], "FILE is missing"), (["attachment", "upload", "f"], "--to is missing"),
                (["attachment", "upload", "f", "--to", "https://x.example"], "--token-file is missing"),
                (
                    ["attachment", "upload", "f", "--put", "https://x.example/", "--to", "y"],
                    "--put replaces --to"
                ),
                (
                    ["attachment", "upload", "f", "--lifetime", "soon"],
                    "--lifetime must be a number followed by s, m, h or d"
                ),
            ] as [([String], String)]
        )
        func `a mistake in an upload is wrong usage and is named`(_ arguments: [String], _ words: String) async throws {
            let run = try await Invocation(arguments, in: folder).run()
            #expect(run.isWrongUsage(words), "\(run)")
            #expect(try folder.names == [])
        }
    }
}
