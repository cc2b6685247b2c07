import Glibc
import TestSupport
import Testing

extension CommandLineTests {
    /// `sealedpush bench service` with its relay as a process: that its counts agree. How fast anything is, is not asked.
    struct ServiceBenchTests {
        private let folder: Folder
        private let temporary: String

        init() throws {
            folder = try Folder()
            temporary = try folder.makeFolder("tmp")
        }

        private func bench(_ arguments: String...) -> Invocation {
            var invocation = Invocation(["bench", "service", "--keys", Program.keys] + arguments, in: folder)
            invocation.environment = ["TMPDIR": temporary]
            return invocation
        }

        private func lines(_ run: Run) throws -> [String: JSONLine] {
            let lines = try run.output.split(separator: "\n").map { try JSONLine($0 + "\n") }
            return Dictionary(try lines.map { (try $0.text("load"), $0) }) { $1 }
        }

        @Test func `everything that was accepted reaches APNs once, with its receipts`() async throws {
            let run = try await bench(
                "--posts",
                "100",
                "--recipients",
                "3",
                "--devices",
                "100",
                "--receipts",
                "20",
                "--json"
            ).run()
            #expect(run.end == .exit(0), "\(run)")
            let lines = try lines(run)
            let steady = try #require(lines["steady"])
            #expect(try steady.integer("accepted") == 300 && steady.integer("delivered") == 300)
            #expect(try steady.integer("missing") == 0 && steady.integer("duplicates") == 0)
            #expect(try steady.integer("cpu-nanoseconds") > 0)
            let receipts = try #require(lines["receipts"])
            let posted = try receipts.integer("posted")
            #expect(try posted > 0 && receipts.integer("taken") == posted && receipts.integer("good") == posted)
            #expect(try Folder.names(temporary) == [])
        }

        @Test func `registries of two sizes have the same load in turns`() async throws {
            let run = try await bench("--posts", "150", "--devices", "100,300", "--json").run()
            #expect(run.end == .exit(0), "\(run)")
            let rounds = try run.output.split(separator: "\n").map { try JSONLine($0 + "\n") }
                .filter { try $0.text("load") == "in-turns" }
            #expect(try rounds.map { try $0.integer("devices") } == [100, 300])
            #expect(try rounds.allSatisfy { try $0.integer("accepted") == 150 && $0.integer("missing") == 0 })
            let ratio = try #require(try lines(run)["ratio"])
            #expect(try ratio.integer("devices") == 300 && ratio.integer("percent") > 0)
            #expect(try Folder.names(temporary) == [])
        }

        /// The short form of `bench service --kills 1000`.
        @Test func `a relay that is killed ten times loses nothing and sends nothing again without need`() async throws
        {
            let seed = String(RunSeed.here() % (1 << 31))
            let run = try await bench(
                "--kills",
                "10",
                "--posts",
                "1100",
                "--devices",
                "100",
                "--seed",
                seed,
                "--json"
            ).run()
            #expect(run.end == .exit(0), "seed \(seed): \(run)")
            #expect(!run.error.contains("killed 1"), "that is for terminals")
            let kills = try #require(try lines(run)["kills"])
            #expect(try kills.integer("lost") == 0 && kills.integer("needless-duplicates") == 0)
            #expect(try kills.text("seed") == seed && kills.integer("kills") == 10)
            #expect(try kills.integer("renamed") == 0 && kills.integer("ended-dead") > 0)
            let ends = try ["ended-accepted", "ended-dead", "parked", "ended-expired"].map { try kills.integer($0) }
            #expect(try ends.reduce(0, +) == kills.integer("accepted"))
            #expect(try kills.integer("accepted") > 0)
        }

        @Test func `on a terminal the kills are counted while they come`() async throws {
            let bench = bench("--kills", "2", "--posts", "220", "--devices", "100", "--seed", "1")
            let words = ([bench.program] + bench.arguments).map { "'\($0)'" }.joined(separator: " ")
            // The words are for a shell of script's own.
            var terminal = Invocation(["-qec", words, "/dev/null"], in: folder)
            terminal.program = "/usr/bin/script"
            terminal.environment = bench.environment
            // So few kills do not find everything: how it ends is the other test's.
            let run = try await terminal.run()
            #expect(run.output.contains("\rkilled 1 of 2 times\rkilled 2 of 2 times\r\n"), "\(run)")
        }

        @Test func `Ctrl-C ends it and its relay, and leaves no file behind`() async throws {
            let bench = try bench("--seconds", "86400", "--devices", "100", "--json").start()
            // The relay starts behind this line.
            _ = try await bench.line()
            bench.signal(SIGINT)
            let run = try await bench.end()
            #expect(run.end == .exit(1) && run.error.contains("stopped"), "\(run)")
            #expect(try Folder.names(temporary) == [])
        }

        @Test(arguments: [
            (["--payload", "2k"], "1k or 4k"), (["--devices", "10"], "100 to 10000000"),
            (["--devices", "100,"], "with commas"), (["--seconds", "1", "--posts", "100"], "not both"),
            (["--kills", "1", "--rate", "5"], "--kills goes without --rate"),
            (["--kills", "1", "--devices", "100,200"], "one number"),
            (["--overload", "3", "--devices", "100,200"], "one number"), (["--seed", "1"], "--seed is for --kills"),
            (["--devices", "100", "--recipients", "200"], "more than --devices"),
            (["--overload", "3", "--rate", "5"], "without --rate"), (["--pushes", "1"], "for the extension"),
        ])
        func `options that do not go together are told`(_ example: (words: [String], reason: String)) async throws {
            let run = try await Invocation(["bench", "service"] + example.words, in: folder).run()
            #expect(run.isWrongUsage(example.reason), "\(run)")
        }
    }
}
