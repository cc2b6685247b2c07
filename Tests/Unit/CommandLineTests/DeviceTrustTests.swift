import Testing

extension CommandLineTests {
    /// Devices with certificates, and tokens that stay theirs.
    struct DeviceTrustTests {
        private static func phone(_ simulator: OwnSimulator, folder: String = "phone", _ options: String...) throws
            -> Invocation
        {
            let words = [
                "device", "--json", "--in-process", "--server", "localhost:\(simulator.devicePort)",
                "--topic",
                "com.example.app", "--folder", folder, "--ca", simulator.own("ca.pem"),
            ]
            return Invocation(words + options, in: simulator.folder)
        }

        private static func activate(_ name: String, _ simulator: OwnSimulator) async throws {
            let run = try await Run.sealedpush(
                "keygen",
                "device-certificate",
                "--simulator",
                "sealedpush-simulator",
                "--out",
                name,
                in: simulator.folder
            )
            #expect(run.isDone, "\(run)")
            #expect(try simulator.folder.mode(name) == 0o600)
        }

        @Test
        func `where certificates are required a phone shows one, and its token is no other phone's`()
            async throws
        {
            let simulator = try await OwnSimulator("--set", "device-certificates=required")
            let without = try await Self.phone(simulator).run()
            #expect(
                without.isRefused("accepts only devices with a certificate", "--certificate"),
                "\(without)"
            )
            for name in ["ann.pem", "bob.pem"] { try await Self.activate(name, simulator) }
            let ann = try Self.phone(simulator, "--certificate", "ann.pem", "--token-out", "token")
                .start()
            _ = try await ann.event("ready")
            let bob = try await Self.phone(simulator, folder: "bob", "--certificate", "bob.pem", "--token", "token")
                .run()
            #expect(bob.isRefused("the token is another device's"), "\(bob)")
            // The first one still works.
            let token = try simulator.folder.text("token").filter { !$0.isNewline }
            #expect(try await simulator.push(token).isDone)
            _ = try await ann.event("shown")
            ann.stop()
            #expect(try await ann.end().end == .exit(0))
        }

        @Test func `a certificate is asked for and demanded as the control API says from then on`()
            async throws
        {
            let simulator = try await OwnSimulator()
            let (status, _) = try await simulator.control(
                "POST /v1/settings",
                #"{"name":"device-certificates","value":"required"}"#
            )
            #expect(status == 200)
            let without = try await Self.phone(simulator).run()
            #expect(without.isRefused("accepts only devices with a certificate"), "\(without)")
        }

        @Test func `a simulator that is killed knows its tokens at the next start`() async throws {
            let first = try await OwnSimulator("--keep-tokens", "tokens")
            let token = try first.deviceToken
            first.process.signal(9)
            _ = try await first.process.end()
            let second = try await OwnSimulator("--keep-tokens", "tokens", in: first.folder)
            #expect(try second.deviceToken == token)
            #expect(try await second.push(token).isDone)
            let third = try await Run.sealedpush(
                "simulate",
                "--port",
                "0",
                "--device-port",
                "0",
                "--keep-tokens",
                "tokens",
                in: first.folder
            )
            #expect(third.isRefused("tokens belongs to another running simulator"), "\(third)")
        }

        @Test func `certificates cannot be required where nobody signs them`() async throws {
            let place = try await Workplace()
            let run = try await place.run(
                [
                    "simulate", "--certificate", Program.keys + "/simulator.pem", "--certificate-key",
                    Program.keys + "/simulator.key", "--provider-key", Program.keys + "/provider.pub.pem",
                    "--key-id",
                    "EXAMPLEKEY", "--team-id", "EXAMPLTEAM", "--set", "device-certificates=required",
                ] + Workplace.allow
            )
            #expect(run.isWrongUsage("needs --device-ca"), "\(run)")
        }
    }
}
