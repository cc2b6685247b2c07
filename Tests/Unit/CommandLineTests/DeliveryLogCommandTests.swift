import Testing

extension CommandLineTests {
    struct DeliveryLogCommandTests {
        private static func log(_ simulator: OwnSimulator, _ words: String...) async throws -> Run {
            let place = ["--control", simulator.url, "--bearer-file", simulator.own("control.bearer")]
            return try await Invocation(["delivery", "log"] + words + place, in: simulator.folder).run()
        }

        @Test func `it tells what became of a push, by either id, and of the newest ones`() async throws {
            let simulator = try await OwnSimulator()
            #expect(try await simulator.push().isDone)
            let newest = try await Self.log(simulator, "--json")
            #expect(newest.isDone, "\(newest)")
            let entry = try JSONLine(newest.output)
            for name in ["apns-unique-id", "apns-id"] {
                let found = try await Self.log(simulator, try entry.text(name))
                #expect(found.isDone && found.output.contains("stored, device-offline"), "\(found)")
                #expect(!found.output.contains(try simulator.deviceToken))
            }
        }

        @Test func `an id that the log does not have ends with exit code 1, and what is no id with 2`() async throws {
            let simulator = try await OwnSimulator()
            let unknown = try await Self.log(simulator, "0b7cc0de-1234-4abc-9def-00112233445f")
            #expect(unknown.isRefused("no push of this id"), "\(unknown)")
            #expect(try await Self.log(simulator).isDone)
            let bad = try await Self.log(simulator, "abc")
            #expect(bad.end == .exit(2) && bad.error.contains("36 characters"), "\(bad)")
        }
    }
}
