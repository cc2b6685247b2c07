import TestCertificates
import TestSupport
import Testing

extension CommandLineTests {
    /// A provider's mistakes: one sentence each, before or after the push has left.
    struct RefusedPushTests {
        @Test func `a key that is not the team's is an InvalidProviderToken`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            let authority = try TestAuthority().issue()
            try site.place.folder.write("other.p8", bytes: authority.privateKeyPEM)
            let run = try await site.send(try await site.place.push(), ["--provider-key": "other.p8"])
            #expect(run.isRefused("403 InvalidProviderToken", "--key-id, --team-id and the .p8 file"), "\(run)")
            device.stop()
        }

        @Test func `a token that nobody has is a BadDeviceToken`() async throws {
            let site = try await Site()
            let token = String(repeating: "ab", count: 32)
            let run = try await site.send(try await site.place.push(), ["--to": token])
            #expect(run.isRefused("400 BadDeviceToken", "production or sandbox?"), "\(run)")
            #expect(!run.error.contains("abab"))
        }

        @Test func `a device of another app is a DeviceTokenNotForTopic`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            let run = try await site.send(try await site.place.push(), ["--topic": "com.example.other"])
            #expect(run.isRefused("400 DeviceTokenNotForTopic", "check --topic"), "\(run)")
            device.stop()
        }

        @Test func `a key that is limited to other apps is refused`() async throws {
            let site = try await Site(Site.simulator + ["--app", "com.example.other"])
            let device = try await site.connectDevice()
            let run = try await site.send(try await site.place.push())
            #expect(run.end == .exit(1) && run.error.contains("APNs refused the push: 4"), "\(run)")
            device.stop()
        }

        @Test func `send --json reports a refusal on both streams`() async throws {
            let site = try await Site()
            let token = String(repeating: "ab", count: 32)
            let run = try await site.send(try await site.place.push(), ["--to": token], flags: "--json")
            #expect(run.end == .exit(1) && run.error.contains("BadDeviceToken"), "\(run)")
            #expect(try JSONLine(run.output).text("reason") == "BadDeviceToken")
        }

        @Test func `a payload that is too long never leaves, and the excess is named`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            let push = #"{"aps":{"alert":"x"},"y":""#
            try site.place.folder.write(
                "push.json",
                push + String(repeating: "y", count: 4_200 - push.count - 2) + #""}"#
            )
            let run = try await site.send("push.json", flags: "--allow-clear")
            #expect(run.isRefused("push.json was not sent", "4200 bytes, 104 more than the 4096"), "\(run)")
            site.simulator.stop()
            let seen = try await site.simulator.end().output
            #expect(!seen.contains("\"accepted\"") && !seen.contains("\"rejected\""))
            device.stop()
        }

        @Test(arguments: ["absent", "unreadable"])
        func `a payload that says things in clear never leaves`(_ kind: String) async throws {
            let place = try await Workplace()
            let sealed = kind == "absent" ? "" : #","sealed":"AQE""#
            try place.folder.write("push.json", #"{"aps":{"alert":"Canary"}\#(sealed)}"#)
            let run = try await place.run(
                ["send", "push.json", "--to", "abcd"] + Site.sender(port: Self.silentPort) + Workplace.allow
            )
            #expect(run.isRefused("push.json", kind == "absent" ? "nothing was sent" : "so nothing was sent"), "\(run)")
            #expect(!run.error.contains("Canary"))
        }

        @Test func `a certificate of an unknown authority is refused`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            try site.place.folder.write("other.pem", bytes: try TestAuthority().certificatePEM)
            let push = try await site.place.push()
            let run = try await site.send(push, ["--ca": "other.pem"])
            #expect(run.isRefused("localhost:\(site.pushPort): ", "unknown authority", "--ca"), "\(run)")
            device.stop()
        }

        @Test func `a certificate for another host is refused`() async throws {
            let authority = try TestAuthority()
            let files = try Folder()
            let identity = try authority.issue(names: "DNS:push.example")
            try files.write("chain.pem", bytes: identity.certificatePEM)
            try files.write("chain.key", bytes: identity.privateKeyPEM)
            try files.write("ca.pem", bytes: try authority.certificatePEM)
            var options = Site.simulator
            for (name, file) in [("--certificate", "chain.pem"), ("--certificate-key", "chain.key")] {
                let index = try #require(options.firstIndex(of: name))
                options[index + 1] = files.file(file)
            }
            let site = try await Site(options)
            try site.place.folder.write("token", "abcd")
            let run = try await site.send(try await site.place.push(), ["--ca": files.file("ca.pem")])
            #expect(run.isRefused("for another host name"), "\(run)")
        }

        @Test func `an authority's file that is none is named`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            try place.folder.write("ca.pem", "not PEM")
            let options = Site.sender(port: Self.silentPort).dropLast() + ["ca.pem"]
            let run = try await place.run(["send", push, "--to", "abcd"] + options + Workplace.allow)
            #expect(run.isRefused("ca.pem: not a PEM file of certificates"), "\(run)")
        }

        @Test func `a port where nobody listens is named`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let port = try HeldPort.deaf()
            let sender = Site.sender(port: Int64(port.number))
            let run = try await place.run(["send", push, "--to", "abcd"] + sender + Workplace.allow)
            #expect(run.isRefused("localhost:\(port.number): nothing listens there"), "\(run)")
        }

        @Test func `the devices' port is not the one for pushes`() async throws {
            let site = try await Site()
            try site.place.folder.write("token", "abcd")
            let run = try await site.send(try await site.place.push(), ["--server": "localhost:\(site.devicePort)"])
            #expect(run.end == .exit(1) && run.error.contains("localhost:\(site.devicePort): "), "\(run)")
        }

        @Test(arguments: ["", "hello", "abc"])
        func `a file that holds no token is named`(_ text: String) async throws {
            let place = try await Workplace()
            let push = try await place.push()
            try place.folder.write("token", text)
            let options = ["--to-file", "token"] + Site.sender(port: Self.silentPort)
            let run = try await place.run(["send", push] + options + Workplace.allow)
            #expect(run.isRefused("token is not a device token in hex"), "\(run)")
        }

        @Test func `a provider key that is none is named`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            try place.folder.write("my.p8", "sealedpush-sender-key-1\n")
            var options = Site.sender(port: Self.silentPort)
            options[3] = "my.p8"
            let run = try await place.run(["send", push, "--to", "abcd"] + options)
            #expect(run.isRefused("my.p8 is not a .p8 key"), "\(run)")
        }

        /// No test gets so far as to connect to it.
        private static let silentPort: Int64 = 1
    }
}
