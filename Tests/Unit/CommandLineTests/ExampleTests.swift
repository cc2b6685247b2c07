import Foundation
import Testing

extension CommandLineTests {
    /// Command lines of help and documents, run as they are printed, in a checkout.
    struct ExampleTests {
        @Test func `the examples of keygen, seal, open, inspect, replay and attachment run one after the other`()
            async throws
        {
            let checkout = try Checkout()
            let device = "bundle --device-key keys-example/device.key --out device.bundle --allow-example-keys"
            #expect(try await checkout.run("sealedpush keygen \(device)").isDone)
            for command in ["keygen", "seal", "open", "inspect", "replay", "attachment"] {
                for line in try await checkout.examples(of: command) {
                    let run = try await checkout.run(line)
                    #expect(run.isDone, "\(line)\n\(run)")
                }
            }
        }

        @Test func `the example of the demo runs`() async throws {
            let checkout = try Checkout()
            for line in try await checkout.examples(of: "demo") {
                let run = try await checkout.run(line)
                #expect(run.isDone, "\(line)\n\(run)")
            }
        }

        /// Their ports are fixed, and another program may use them here: only these numbers are replaced.
        @Test func `the examples of simulate, device and send run together`() async throws {
            let checkout = try Checkout()
            let simulate = try #require(
                try await checkout.examples(of: "simulate").first { $0.contains("keys-example") }
            )
            let simulator = try checkout.start("\(simulate) --json --port 0 --device-port 0")
            let ready = try await simulator.event("ready")

            let device = try #require(try await checkout.examples(of: "device").first)
            #expect(device.contains("localhost:5223"))
            let phone = try checkout.start(
                device.replacing("localhost:5223", with: "localhost:\(try ready.integer("device-port"))") + " --json"
            )
            _ = try await phone.event("ready")

            let seal = try #require(try await checkout.examples(of: "seal").first)
            #expect(try await checkout.run(seal).isDone)
            let send = try #require(try await checkout.examples(of: "send").first)
            #expect(send.contains("localhost:2197"))
            let sent = try await checkout.run(
                send.replacing("localhost:2197", with: "localhost:\(try ready.integer("push-port"))")
            )
            #expect(sent.isDone, "\(sent)")
            #expect(try await phone.event("shown").text("title") == "Ada Lovelace")
        }

        @Test func `every command line of the documents is one that the program understands`() async throws {
            let checkout = try Checkout()
            var lineCount = 0
            for document in try Checkout.documents() {
                for line in Checkout.commandLines(in: document) {
                    lineCount += 1
                    let run = try await checkout.run("\(line) --help")
                    #expect(run.isDone, "\(line)")
                    let options = line.split(separator: " ").filter { $0.hasPrefix("--") }.map {
                        $0.prefix { $0 != "=" }
                    }
                    // One may be a part of the command's name.
                    let name = run.output.prefix { $0 != "\n" }.split(separator: " ")
                    for option in options where !name.contains(option) {
                        let names = ["  ", "  -o, "].map { "\n\($0)\(option)" }
                        #expect(names.contains { run.output.contains($0) }, "\(line): \(option)")
                    }
                }
            }
            #expect(lineCount > 0)
        }
    }
}

/// A folder that looks like a checkout of this project, with the programs in its PATH.
private struct Checkout {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        try FileManager.default.copyItem(atPath: Program.keys, toPath: folder.file("keys-example"))
        _ = try folder.makeFolder("bin")
        for program in Set(Program.commands.map(\.program)) {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("bin/\(program)"),
                withDestinationPath: Program.path(of: program)
            )
        }
    }

    func start(_ line: String) throws -> LiveProcess {
        try Invocation.shell("PATH=\(folder.file("bin")):$PATH; exec \(line)", in: folder).start()
    }

    func run(_ line: String) async throws -> Run { try await start(line).end() }

    /// The indented command lines below "Example:", joined at backslashes.
    func examples(of command: String) async throws -> [String] {
        let help = try await run("sealedpush \(command) --help").output.replacing(" \\\n", with: " ")
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let examples = lines.drop { $0 != "Example:" }.dropFirst().prefix { $0.hasPrefix("  sealedpush \(command) ") }
        guard !examples.isEmpty else { throw Unexpected("no example: \(help)") }
        return examples.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// README, and all documents of docs, the example keys and the providers' examples.
    static func documents() throws -> [String] {
        let folders = ["", "docs/", "docs/simulator/", "Examples/Providers/", "keys-example/"]
        return try folders.flatMap { folder in
            try Folder.names(Program.checkout + "/" + folder).filter { $0.hasSuffix(".md") }
                .map { try Folder.contents("\(Program.checkout)/\(folder)\($0)") }
        }
    }

    /// Lines that are a command of ours, and such text between backquotes, without a prompt, a path and a comment; `…`
    /// is a reader's own value.
    static func commandLines(in document: String) -> [String] {
        let joined = document.replacing(" \\\n", with: " ")
        let blocks = joined.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let quoted = joined.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        return (blocks + quoted)
            .map { line in
                let command = line.trimmingPrefix("$ ").trimmingPrefix(".build/debug/")
                return String(command[..<(command.firstRange(of: " #")?.lowerBound ?? command.endIndex)])
            }
            .filter { line in
                Program.commands.contains { line.hasPrefix("\($0.program) \($0.name) ") } && !line.contains("…")
                    && !line.contains(where: { "`|<>;&$".contains($0) })
            }
    }
}
