import Testing

/// A program that users install.
struct ShippedProgram: CustomTestStringConvertible, Sendable {
    let name: String

    static let all = ["sealedpush", "sealedpush-blobs", "sealedpush-sidecar", "sealedpushd"].map(ShippedProgram.init)

    var testDescription: String { name }

    func run(_ words: [String]) async throws -> Run {
        try await Invocation(words, of: Program.path(of: name), in: try Folder()).run()
    }

    /// Names of its commands, from the overview's rows.
    func commands() async throws -> [String] {
        let overview = try await run(["--help"])
        return overview.output.split(separator: "\n").compactMap { line in
            line.prefixMatch(of: #/  ([a-z][a-z -]*?)  /#).map { String($0.1) }
        }
    }

    /// Help of the program, and of each command.
    func helps() async throws -> [(command: String, help: String)] {
        var helps: [(command: String, help: String)] = []
        for command in [""] + (try await commands()) {
            let run = try await run(command.split(separator: " ").map(String.init) + ["--help"])
            guard run.isDone else { throw Unexpected("\(name) \(command) --help: \(run)") }
            helps.append((command, run.output))
        }
        return helps
    }

    /// Long options of a help text's table.
    static func options(in help: String) -> Set<String> {
        Set(
            help.split(separator: "\n").compactMap { line in
                line.prefixMatch(of: #/  (?:-[a-z], )?(--[a-z-]+)/#).map { String($0.1) }
            }
        )
    }
}
