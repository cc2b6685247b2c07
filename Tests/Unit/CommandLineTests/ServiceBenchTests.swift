import Glibc
import TestSupport
import Testing

extension CommandLineTests {
    /// Counts of `sealedpush-bench service` with its relay as a process. Speed is not checked.
    struct ServiceBenchTests {
        private let folder: Folder
        private let temporary: String

        init() throws {
            folder = try Folder()
            temporary = try folder.makeFolder("tmp")
        }

        private func bench(_ arguments: String...) -> Invocation {
            var invocation = Invocation(["service", "--keys", Program.keys] + arguments, of: Program.bench, in: folder)
            invocation.environment = ["TMPDIR": temporary]
            return invocation
        }

        private func onTerminal(_ arguments: String...) -> Invocation {
            let words = ([Program.bench, "service", "--keys", Program.keys] + arguments).map { "'\($0)'" }
            // The words are for a shell of script's own.
            var terminal = Invocation(["-qec", words.joined(separator: " "), "/dev/null"], in: folder)
            terminal.program = "/usr/bin/script"
            terminal.environment = ["TMPDIR": temporary]
            return terminal
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
            #expect(try steady.integer("missing") == 0)
            // If the machine paused so long that an answer counts as lost, a push comes again.
            #expect(try #require(lines["repeats"]).integer("needless-duplicates") == 0)
            #expect(try steady.integer("cpu-nanoseconds") > 0)
            let receipts = try #require(lines["receipts"])
            let posted = try receipts.integer("posted")
            #expect(try posted > 0 && receipts.integer("taken") == posted && receipts.integer("good") == posted)
            #expect(try Folder.names(temporary) == [])
        }

        @Test(arguments: ["--tenants", "--connections"])
        func `relays with one and with three have the same load in turns`(_ option: String) async throws {
            let run = try await bench("--posts", "150", "--devices", "100", option, "1,3", "--json").run()
            #expect(run.end == .exit(0), "\(run)")
            let rounds = try run.output.split(separator: "\n").map { try JSONLine($0 + "\n") }
                .filter { try $0.text("load") == "in-turns" }
            #expect(try rounds.map { try $0.integer(String(option.dropFirst(2))) } == [1, 3])
            #expect(try rounds.allSatisfy { try $0.integer("accepted") == 150 && $0.integer("missing") == 0 })
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

        @Test func `too much in turns with what is taken: all that was accepted reaches APNs, and the rest is counted`()
            async throws
        {
            // A second has room for one turn of overload, and one on each side.
            let run = try await bench("--overload", "3", "--seconds", "1", "--devices", "1000", "--json").run()
            #expect(run.end == .exit(0), "\(run)")
            #expect(!run.error.contains("turn 1"), "that is for terminals")
            let lines = try lines(run)
            for name in ["capacity", "overload"] {
                let turns = try #require(lines[name])
                #expect(try turns.integer("accepted") > 0 && turns.integer("missing") == 0, "\(run)")
                #expect(try turns.integer("delivered") == turns.integer("accepted"), "\(run)")
            }
            let goodput = try #require(lines["goodput"])
            #expect(try goodput.integer("turns") == 1 && goodput.integer("times") == 3)
            let overload = try #require(lines["overload"])
            let (posts, refused) = (try goodput.integer("posts"), try goodput.integer("refused"))
            #expect(try posts - refused == overload.integer("accepted"), "\(run)")
            #expect(try goodput.integer("unsent") == overload.integer("unsent"))
            #expect(lines["flatness"] != nil && lines["repeats"] != nil)
            #expect(try Folder.names(temporary) == [])
        }

        /// The short form of `sealedpush-bench service --kills 1000`.
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
            // So few kills do not find everything: the other test checks the result.
            let run = try await onTerminal("--kills", "2", "--posts", "220", "--devices", "100", "--seed", "1").run()
            #expect(run.output.contains("\rkilled 1 of 2 times\rkilled 2 of 2 times\r\n"), "\(run)")
        }

        @Test func `on a terminal the turns of too much are counted while they come`() async throws {
            let run = try await onTerminal("--overload", "2", "--seconds", "1", "--devices", "1000").run()
            #expect(run.output.contains("\rturn 1 of 3\rturn 2 of 3\rturn 3 of 3\r\n"), "\(run)")
            #expect(run.output.contains("capacity, 2 turns: ") && run.output.contains("overload, 1 turns: "), "\(run)")
            #expect(run.output.contains("goodput ") && run.output.contains("2 times the accepted rate"), "\(run)")
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
            (["--overload", "3", "--devices", "100,200"], "one number"),
            (["--tenants", "1,2", "--connections", "1,2"], "go with one of"),
            (["--tenants", "2", "--rate", "5"], "--tenants goes without --rate"),
            (["--tenants", "1001"], "1 to 1000"), (["--tenants", "2", "--endpoints"], "without --endpoints"),
            (["--seed", "1"], "--seed goes only with --kills"),
            (["--devices", "100", "--recipients", "200"], "more than --devices"),
            (["--overload", "3", "--rate", "5"], "without --rate"),
            (["--overload", "3", "--posts", "100"], "without --posts"),
            (["--overload", "3", "--receipts", "1"], "without --receipts"),
            (["--pushes", "1"], "service has no option '--pushes'"),
        ])
        func `options that do not go together are told`(_ example: (words: [String], reason: String)) async throws {
            let run = try await Invocation(["service"] + example.words, of: Program.bench, in: folder).run()
            #expect(run.isWrongUsage(example.reason), "\(run)")
        }
    }
}
