struct Run: Sendable {
    enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    let end: End
    let outputBytes: [UInt8]
    let output: String
    let error: String

    init(end: End, outputBytes: [UInt8], error: [UInt8]) {
        self.end = end
        self.outputBytes = outputBytes
        output = String(decoding: outputBytes, as: UTF8.self)
        self.error = String(decoding: error, as: UTF8.self)
    }

    static func bench(_ arguments: String..., in folder: Folder) async throws -> Run {
        try await Invocation(arguments, of: Program.bench, in: folder).run()
    }

    static func sealedpush(_ arguments: String..., in folder: Folder) async throws -> Run {
        try await Invocation(arguments, in: folder).run()
    }

    /// True for exit code 0 without complaints.
    var isDone: Bool { end == .exit(0) && error.isEmpty }

    /// True for exit code 1, one sentence on standard error that holds all the `words`, and no result.
    func isRefused(_ words: String...) -> Bool {
        end == .exit(1) && output.isEmpty && isSentence && words.allSatisfy(error.contains)
    }

    /// True for exit code 2, the reason (all the `words`) and a short usage on standard error, so that a terminal still
    /// shows the reason, and nothing on standard output.
    func isWrongUsage(_ words: String...) -> Bool {
        end == .exit(2) && output.isEmpty && isNamed && error.contains(#/usage: sealedpush[-a-z]* /#)
            && error.filter(\.isNewline).count <= 5 && words.allSatisfy { error.prefix { $0 != "\n" }.contains($0) }
    }

    /// True if it begins with a program of ours.
    private var isNamed: Bool { error.prefixMatch(of: #/sealedpush(-[a-z]+)?: /#) != nil }

    private var isSentence: Bool {
        isNamed && error.last == "\n" && error.filter(\.isNewline).count == 1
    }
}

extension Run: CustomStringConvertible {
    var description: String { "\(end)\nstandard output: \(output)\nstandard error: \(error)" }
}

extension Invocation {
    func run() async throws -> Run { try await start().end() }
}
