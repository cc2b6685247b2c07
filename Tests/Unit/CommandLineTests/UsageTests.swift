import Platform
import Testing

extension CommandLineTests {
    struct UsageTests {
        @Test(arguments: Program.commands, ["--help", "-h"])
        func `help goes to standard output and names an example`(
            _ command: Program.ProgramCommand,
            _ word: String
        ) async throws {
            let run = try await command.run(word, in: try Folder())
            #expect(run.isDone, "\(run)")
            #expect(run.output.hasPrefix("usage: \(command.program) \(command.name)"))
            #expect(run.output.contains(try Regex("Example:\n  \(command.program) \(command.name)\\s")))
            #expect(run.output.contains("--help"))
        }

        @Test(arguments: ["--help", "-h", "help"])
        func `the overview names every command`(_ word: String) async throws {
            for program in Set(Program.commands.map(\.program)) {
                let run = try await Invocation([word], of: Program.path(of: program), in: try Folder()).run()
                #expect(run.isDone, "\(run)")
                for command in Program.commands where command.program == program {
                    #expect(run.output.contains("\n  \(command.name) "))
                }
            }
        }

        @Test func `each program says its name and version`() async throws {
            for program in Set(Program.commands.map(\.program)) {
                let run = try await Invocation(["--version"], of: Program.path(of: program), in: try Folder()).run()
                #expect(run.isDone && run.output == "\(program) \(ReleaseVersion.text)\n", "\(run)")
            }
        }

        @Test(arguments: ShippedProgram.all + [ShippedProgram(name: "sealedpush-bench")])
        func `every help fits a terminal of 80 columns`(_ program: ShippedProgram) async throws {
            for (command, help) in try await program.helps() {
                #expect(!help.isEmpty)
                for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(command): \(line)") }
            }
        }

        @Test func `the simulator's settings fit a terminal of 80 columns`() async throws {
            let run = try await Run.sealedpush("simulate", "--settings", in: try Folder())
            #expect(run.isDone && run.output.contains("streams="), "\(run)")
            for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }

        @Test(
            arguments: [
                (["seel"], "there is no command 'seel'; did you mean 'seal'?"),
                (["inspekt", "a"], "there is no command 'inspekt'; did you mean 'inspect'?"),
                (["delivery"], "there is no command 'delivery'; did you mean 'delivery log'?"),
                (["tokn", "check"], "there is no command 'tokn'; did you mean 'token check'?"),
                (["simulat", "--help"], "there is no command 'simulat'; did you mean 'simulate'?"),
                (["help", "seel"], "there is no command 'seel'; did you mean 'seal'?"),
                (["--completions=tcsh"], "--completions takes bash, zsh or fish"),
                (
                    ["seal", "m", "--sender-kee", "k"],
                    "seal has no option '--sender-kee'; did you mean '--sender-key'?"
                ),
                (["bench"], "there is no command 'bench'\n"), (["seal", "-x"], "seal has no option '-x'\n"),
            ] as [([String], String)]
        )
        func `a mistyped word gets the one that was meant, if any is near`(
            _ words: [String],
            _ error: String
        ) async throws {
            let run = try await Invocation(words, in: try Folder()).run()
            #expect(run.isWrongUsage() && run.error.contains(error), "\(run)")
        }

        @Test func `-o is --out`() async throws {
            let folder = try Folder()
            #expect(try await Run.sealedpush("keygen", "sender", "-o", "ada", in: folder).isDone)
            #expect(try folder.names == ["ada"])
            let twice = try await Run.sealedpush("keygen", "sender", "-o", "a", "--out", "b", in: folder)
            #expect(twice.isWrongUsage("--out is given twice"), "\(twice)")
        }

        @Test(arguments: [
            ["seal", ".", "--sender-key", "k", "--bundle", "b", "--identity", "i", "--topic", "com.example.chat"],
            ["inspect", "."], ["keygen", "bundle", "--device-key", ".", "--out", "x"],
            ["attachment", "seal", ".", "out", "--type", "image/png"],
            ["attachment", "seal", Program.keys + "/ca.pem", ".", "--type", "text/plain"],
            ["attachment", "upload", ".", "--put", "https://localhost:1/a"],
            ["attachment", "upload", "a", "--put", "https://localhost:1/a", "--ca", "."],
            ["replay", "."], ["safety-number", ".", "."],
            ["simulate", "--keep-tokens", ".", "--port", "0", "--device-port", "0"],
            ["simulate", "--record", ".", "--port", "0", "--device-port", "0"],
            ["demo", "--keys", Program.keys, "--message", "."],
        ])
        func `a folder instead of a file is named so`(_ words: [String]) async throws {
            var invocation = Invocation(words, in: try Folder())
            // A demo starts others, whose remains these are.
            invocation.environment = ["TMPDIR": try invocation.folder.makeFolder("tmp")]
            let run = try await invocation.run()
            #expect(run.end == .exit(1) && run.error.contains(" is a folder; give the path of a file"), "\(run)")
        }

        @Test func `no command is wrong usage`() async throws {
            let run = try await Invocation([], in: try Folder()).run()
            #expect(run.isWrongUsage("the command is missing"), "\(run)")
        }

        @Test(arguments: ["encrypt", "bench", "", "--json", "-", "\u{1B}[31m"])
        func `an unknown command is wrong usage`(_ word: String) async throws {
            let run = try await Run.sealedpush(word, in: try Folder())
            #expect(run.isWrongUsage("there is no command '"), "\(run)")
            #expect(!run.error.contains("\u{1B}"))
        }

        @Test(arguments: Program.commands, ["--no-such-option", "-x", "--", "--json-lines"])
        func `an unknown option is wrong usage`(_ command: Program.ProgramCommand, _ option: String) async throws {
            let run = try await command.run(option, in: try Folder())
            #expect(run.isWrongUsage("\(command.name) has no option '\(option)'"), "\(run)")
        }

        @Test(arguments: Mistake.all)
        func `a mistake is wrong usage and is named`(_ mistake: Mistake) async throws {
            let folder = try Folder()
            let run = try await Invocation(mistake.arguments, of: mistake.program, in: folder).run()
            #expect(run.isWrongUsage(mistake.words), "\(run)")
            #expect(try folder.names == [])
        }
    }
}

struct Mistake: CustomTestStringConvertible, Sendable {
    let program: String
    let arguments: [String]
    let words: String

    var testDescription: String { arguments.joined(separator: " ") }

    private init(_ arguments: [String], _ words: String, of program: String = Program.path) {
        self.program = program
        self.arguments = arguments
        self.words = words
    }

    static let all =
        missingOptions + [
            Mistake(["keygen", "--out", "x"], "web-push or device-certificate is missing"),
            Mistake(["keygen", "phone", "--out", "x"], "the operand must be device, sender, bundle,"),
            Mistake(
                ["keygen", "sender", "device", "--out", "x"],
                "only one device, sender, bundle, web-push or device-certificate"
            ),
            Mistake(["keygen", "sender"], "--out is missing"),
            Mistake(["keygen", "sender", "--out"], "--out PATH: the value is missing"),
            Mistake(["keygen", "sender", "--out", ""], "--out PATH: the value is missing"),
            Mistake(["keygen", "sender", "--out="], "--out PATH: the value is missing"),
            Mistake(["keygen", "sender", "--out", "--example"], "--out PATH: the value is missing"),
            Mistake(["keygen", "sender", "--out", "x", "--out", "y"], "--out is given twice"),
            Mistake(["keygen", "sender", "--out", "x", "--example=yes"], "--example takes no value"),
            Mistake(["keygen", "device", "--out", "x"], "--topic is missing"),
            Mistake(
                ["keygen", "device", "--out", "x", "--topic", "com example"],
                "--topic must be the app's bundle id"
            ),
            Mistake(["keygen", "bundle", "--out", "x"], "--device-key is missing"),
            Mistake(["keygen", "web-push"], "--out is missing"),
            Mistake(["open", "p", "--web-push-key"], "--web-push-key FILE: the value is missing"),
            Mistake(["open", "p", "--web-push-key", "f", "--device-key", "f"], "replaces --device-key"),
            Mistake(["open", "p", "--web-push-key", "f", "--senders", "f"], "replaces --senders"),
            Mistake(
                ["open", "p", "--web-push-key", "f", "--topic", "com.example.chat"],
                "--web-push-key replaces --topic"
            ),
            Mistake(["inspect"], "PUSH.json is missing"),
            Mistake(["inspect", "a", "b"], "only one PUSH.json is allowed"),
            Mistake(["device", "extra"] + device, "unexpected operand 'extra'"),
            Mistake(["device", "--count", "0"] + device, "--count must be a number from 1"),
            Mistake(["device", "--count", "many"] + device, "--count must be a number from 1"),
            Mistake(["device", "--memory-limit", "0"] + device, "--memory-limit must be a number from 1 to 4096"),
            Mistake(["device", "--time-limit", "3601"] + device, "--time-limit must be a number from 1 to 3600"),
            Mistake(
                ["device", "--in-process", "--memory-limit", "24"] + device,
                "--memory-limit needs a process of the extension's own"
            ),
            Mistake(["extension-host", "now"], "unexpected operand 'now'"),
            Mistake(["simulate", "extra"] + simulate, "unexpected operand 'extra'"),
            Mistake(["simulate", "--port", "65536"] + simulate, "--port must be a number from 0 to 65535"),
            Mistake(["simulate", "--device-port", "-1"] + simulate, "--device-port must be a number from 0 to 65535"),
            Mistake(["simulate", "--profile", "google"] + simulate, "--profile must be 'apple' or 'spec'"),
            Mistake(["simulate", "--app", "a b"] + simulate, "--app must be an app's bundle id"),
            Mistake(["simulate", "--folder", "x"] + simulate, "--folder is for keys of its own"),
            Mistake(["simulate", "--control-port", "many"], "--control-port must be a number from 0 to 65535"),
            Mistake(["simulate", "--channel-port", "many"], "--channel-port must be a number from 0 to 65535"),
            Mistake(["simulate", "--gateway-port", "0"], "--gateway-port needs --client-ca"),
            Mistake(["simulate", "--feedback-port", "0"], "--feedback-port needs --client-ca"),
            Mistake(["simulate", "--environment", "test"], "--environment must be 'sandbox' or 'production'"),
            Mistake(["simulate", "--set", "streams"], "--set must be NAME=VALUE"),
            Mistake(["simulate", "--set", "stream=7"], "there is no such setting; there are"),
            Mistake(["simulate", "--set", "streams=0"], "'streams' takes a number from 1 to 100000"),
            Mistake(["simulate", "--fault", "explode"], "one of rejected, slow"),
            Mistake(["simulate", "--fault", "slow"], "needs 'milliseconds'"),
            Mistake(["simulate", "--faults", "101"], "--faults must be SEED:PERCENT"),
            Mistake(["simulate", "--faults", "x:10"], "--faults: the seed must be a number"),
            Mistake(["simulate", "--faults", "1:2:3"], "--faults must be SEED:PERCENT"),
            Mistake(["simulate", "--faults", "7:10", "--seed", "8"], "leave --seed out"),
            Mistake(["simulate", "--seed", "-1"], "--seed must be a number from 0"),
            Mistake(["simulate", "--record-payloads"], "--record-payloads needs --record FILE"),
            Mistake(["simulate", "replay"] + simulateReplay, "FILE is missing"),
            Mistake(
                ["simulate", "replay", "f", "--against", "localhost"] + Array(simulateReplay.dropFirst(2)),
                "--against"
            ),
            Mistake(["token"], "there is no command 'token'"),
            Mistake(["token", "check", "--bearer", "b", "--control", "http://127.0.0.1:1"], "TOKEN is missing"),
            Mistake(["token", "check", "ab", "--control", "http://127.0.0.1:1"], "--bearer-file is missing"),
            Mistake(["token", "check", "ab", "--bearer", "b"], "--control is missing"),
            Mistake(
                ["token", "check", "ab", "--bearer", "b", "--control", "http://example.org:1"],
                "--control must be http://127.0.0.1:PORT"
            ),
            Mistake(
                ["token", "check", "ab", "--bearer", "b", "--bearer-file", "f", "--control", "http://127.0.0.1:1"],
                "--bearer-file replaces --bearer; give one of them"
            ),
            Mistake(["safety-number"], "give two files"),
            Mistake(["safety-number", "a"], "give two files"),
            Mistake(["safety-number", "a", "b", "c"], "give two files"),
            Mistake(["safety-number", "a", "b", "--qr=yes"], "--qr takes no value"),
            Mistake(["replay"], "PUSH.apns is missing"),
            Mistake(["replay", "p", "--at", "tomorrow"], "--at must be a date and a time with its zone"),
            Mistake(["replay", "p", "--at", "2026-11-21T10:00"], "--at must be a date and a time with its zone"),
            Mistake(["replay", "p", "--at", "2026-13-21T10:00Z"], "--at must be a date and a time with its zone"),
            Mistake(["replay", "p", "--at", "1960-11-21T10:00Z"], "--at must be a date and a time with its zone"),
            Mistake(["replay", "p", "--locked", "--before-first-unlock"], "includes --locked"),
            Mistake(["demo", "extra"], "unexpected operand 'extra'"),
            Mistake(["attachment"], "the operands must be 'seal FILE OUT' or 'open STORED OUT'"),
            Mistake(["attachment", "seal", "a"], "the operands must be 'seal FILE OUT' or 'open STORED OUT'"),
            Mistake(["attachment", "send", "a", "b"], "an attachment can be sealed or opened: 'seal' or 'open'"),
            Mistake(["attachment", "seal", "a", "b"], "--type is missing"),
            Mistake(
                ["attachment", "seal", "a", "b", "--type", "Image/JPEG"],
                "--type must be a media type in lower case"
            ),
            Mistake(
                ["attachment", "seal", "a", "b", "--type", "image/png", "--url", "http://a.example/"],
                "--url must be a plain https URL"
            ),
            Mistake(
                ["attachment", "seal", "a", "b", "--type", "image/png", "--name", String(repeating: "x", count: 65)],
                "--name is 64 bytes at most"
            ),
            Mistake(["attachment", "seal", "a", "b", "--pointer", "p"], "--pointer goes only with 'open'"),
            Mistake(["attachment", "open", "a", "b"], "--pointer is missing"),
            Mistake(
                [
                    "attachment", "upload", "a", "--to", "https://h.example", "--token-file", "/dev/null",
                    "--public-url", "h",
                ],
                "--public-url must be https://host:port without a path"
            ),
            Mistake(
                ["attachment", "upload", "a", "--put", "https://h.example/a", "--public-url", "https://h.example"],
                "--put replaces --public-url"
            ),
            Mistake(
                ["device", "--device-key", "d", "--senders", "s", "--server", "h:1", "--files", "h:2"],
                "--ca is missing"
            ),
            Mistake(
                ["attachment", "open", "a", "b", "--thumbnail", "--pointer", "p"],
                "--thumbnail goes only with 'seal'"
            ),
            Mistake(["attachment", "open", "a", "b", "--url", "u", "--pointer", "p"], "--url goes only with 'seal'"),
            Mistake(["crypto", "--size", "16"], "crypto has no option '--size'", of: Program.bench),
            Mistake(["crypto", "all"], "unexpected operand 'all'", of: Program.bench),
            Mistake(["crypto", "--rounds", "0"], "--rounds must be a number from 1 to 10000", of: Program.bench),
            Mistake(["attachment", "--size", "15"], "--size must be a number from 16 to 65536", of: Program.bench),
            Mistake(["network"], "there is no command 'network'", of: Program.bench),
            Mistake(["extension", "--seed", "1"], "--seed goes only with --schedules", of: Program.bench),
            Mistake(
                ["extension", "--schedules", "1", "--pushes", "1"],
                "--pushes does not go with --schedules",
                of: Program.bench
            ),
            Mistake(["provider"], "--target is missing", of: Program.bench),
            Mistake(["provider", "--target", "localhost"], "--target must be a host and a port", of: Program.bench),
            Mistake(
                ["provider", "--target", "h:1", "--mode", "fast"],
                "--mode must be loop, default, batch or all",
                of: Program.bench
            ),
            Mistake(
                ["provider", "--target", "h:1", "--key-id", "A"],
                "--key-id goes only with --provider-key",
                of: Program.bench
            ),
            Mistake(
                ["provider", "--target", "h:1", "--round-trip", "0"],
                "--round-trip must be a number from 1",
                of: Program.bench
            ),
            Mistake(["seal", "m", "--too-long", "cut"] + seal, "--too-long must be 'shorten' or 'refuse'"),
            Mistake(
                ["seal", "m", "--lifetime", "soon"] + seal,
                "--lifetime must be a number followed by s, m, h or d"
            ),
            Mistake(["seal", "m", "--lifetime", "-1s"] + seal, "--lifetime must be a number followed by s, m, h or d"),
            Mistake(["seal", "m", "--lifetime", "99999999999999999999d"] + seal, "--lifetime must be a number"),
            Mistake(["seal", "m", "--placeholder-key", "K", "--placeholder-body", "B"] + seal, "--placeholder-key"),
            Mistake(["seal", "m", "--placeholder-body", String(repeating: "x", count: 200)] + seal, "173 bytes"),
            Mistake(["seal", "m", "n"] + seal, "only one MESSAGE.json is allowed"),
            Mistake(["seal", "m", "--call", "c"] + seal, "--call replaces MESSAGE.json; give one of them"),
            Mistake(["seal", "m", "--class", "voip"] + seal, "--class must be 'alert' or 'call'"),
            Mistake(["send", "p", "--priority", "7"] + send, "--priority must be 10, 5 or 1"),
            Mistake(["send", "p", "--expires", "2h"] + send, "--expires must be 0, 1h, 1d or 7d"),
            Mistake(["send", "p", "--to", "ab"] + send, "--to-file replaces --to; give one of them"),
            Mistake(["send", "p", "--certificate", "c"] + send, "--certificate goes only with --binary-interface"),
            Mistake(["send", "p", "--binary-interface"] + send, "--topic does not go with --binary-interface"),
            Mistake(
                ["send", "p", "--binary-interface", "--to", "ab", "--server", "localhost:1"],
                "--certificate is missing"
            ),
        ] + badServers + [Mistake(["send", "p"] + Array(send.dropFirst(2)), "--to-file is missing")]

    /// Each command without one of its required options.
    private static let missingOptions: [Mistake] = [
        ("open", ["p"], ["--device-key", "f", "--senders", "f"]), ("seal", ["m"], seal),
        ("send", ["p"], Array(send.dropFirst(2))), ("simulate", [], simulate), ("device", [], device),
    ]
    .flatMap { command, operands, options in
        stride(from: 0, to: options.count, by: 2).map { index in
            let rest = options[..<index] + options[(index + 2)...]
            return Mistake([command] + operands + rest, "\(options[index]) is missing")
        }
    }

    private static let badServers = ["localhost", "localhost:", ":443", "localhost:0", "localhost:65536", "host:port"]
        .map { server in
            var options = send
            options[options.count - 1] = server
            return Mistake(["send", "p"] + options, "--server")
        }

    private static let seal = ["--sender-key", "f", "--bundle", "f", "--identity", "f", "--topic", "com.example.chat"]
    private static let send = [
        "--to-file", "f", "--topic", "com.example.chat", "--provider-key", "f", "--key-id", "EXAMPLEKEY",
        "--team-id", "EXAMPLTEAM", "--server", "localhost:1",
    ]
    private static let simulate = [
        "--certificate", "f", "--certificate-key", "f", "--provider-key", Program.keys + "/provider.pub.pem",
        "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
    ]
    private static let simulateReplay = [
        "--against", "localhost:1", "--provider-key", "f", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
    ]
    private static let device = ["--device-key", "f", "--senders", "f", "--server", "localhost:1"]
}
