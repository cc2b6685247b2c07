import TestCertificates
import TestSupport
import Testing

extension CommandLineTests {
    struct StartTests {
        @Test(arguments: ["--port", "--device-port"])
        func `a port in use is named`(_ option: String) async throws {
            let place = try await Workplace()
            let listener = try Listener()
            let port = listener.port
            var options = Site.simulator
            let index = try #require(options.firstIndex(of: option))
            options[index + 1] = "\(port)"
            let run = try await place.run(["simulate"] + options + Workplace.allow)
            #expect(run.isRefused("port \(port) is in use"), "\(run)")
            _ = consume listener
        }

        @Test func `a certificate without its key is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("other.key", bytes: try TestAuthority().issue().privateKeyPEM)
            let options = Site.simulator.map { $0.hasSuffix("simulator.key") ? "other.key" : $0 }
            let run = try await place.run(["simulate"] + options)
            #expect(run.isRefused("simulator.pem: the private key does not belong to the certificate"), "\(run)")
        }

        @Test func `a certificate that is none is named`() async throws {
            let place = try await Workplace()
            try place.folder.write("chain.pem", "hello")
            let options = Site.simulator.map { $0.hasSuffix("simulator.pem") ? "chain.pem" : $0 }
            let run = try await place.run(["simulate"] + options + Workplace.allow)
            #expect(run.isRefused("chain.pem: the certificate is not PEM"), "\(run)")
        }

        @Test func `a private provider key in the place of the public one is named`() async throws {
            let place = try await Workplace()
            let options = Site.simulator.map { $0.hasSuffix("provider.pub.pem") ? Program.keys + "/sender.pub" : $0 }
            let run = try await place.run(["simulate"] + options + Workplace.allow)
            #expect(run.isRefused("sender.pub is not a public P-256 key"), "\(run)")
        }

        @Test func `a device without a simulator says that nobody listens`() async throws {
            let place = try await Workplace()
            let port = try HeldPort.deaf()
            let temporary = try place.folder.makeFolder("tmp")
            var invocation = place.invocation(["device"] + Site.device(port: Int64(port.number)) + Workplace.allow)
            invocation.environment = ["TMPDIR": temporary]
            let run = try await invocation.run()
            #expect(run.isRefused("localhost:\(port.number): nothing listens there"), "\(run)")
            #expect(try Folder.names(temporary) == [])
        }

        @Test func `a device at the port for pushes is told so`() async throws {
            let site = try await Site()
            let run = try await site.place.run(["device"] + Site.device(port: site.pushPort) + Workplace.allow)
            #expect(run.end == .exit(1) && run.error.contains("localhost:\(site.pushPort): "), "\(run)")
        }

        @Test func `a file of senders with a typing mistake is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("senders", "sealedpush-sender-1:AAAA\n")
            let options = Site.device(port: 1).map { $0.hasSuffix("sender.pub") ? "senders" : $0 }
            let run = try await place.run(["device"] + options + Workplace.allow)
            #expect(run.isRefused("senders does not hold"), "\(run)")
        }

        @Test func `an empty TMPDIR is as good as none`() async throws {
            let place = try await Workplace()
            let port = try HeldPort.deaf()
            var invocation = place.invocation(["device"] + Site.device(port: Int64(port.number)) + Workplace.allow)
            invocation.environment = ["TMPDIR": ""]
            let run = try await invocation.run()
            #expect(run.isRefused("nothing listens there"), "\(run)")
            #expect(try !Folder.names("/").contains { $0.hasPrefix("sealedpush-device-") })
        }

        @Test func `a folder for temporary files that is not there is named`() async throws {
            let place = try await Workplace()
            var invocation = place.invocation(["device"] + Site.device(port: 1) + Workplace.allow)
            invocation.environment = ["TMPDIR": "/no/such/folder"]
            let run = try await invocation.run()
            #expect(run.isRefused("/no/such/folder: No such file or directory"), "\(run)")
        }
    }
}
