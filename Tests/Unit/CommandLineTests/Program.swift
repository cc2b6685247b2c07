import Foundation
import Testing

/// The built command lines and the checkout that they were built from.
enum Program {
    /// Beside the test bundle: in .build/debug, .build/address or wherever this run was built.
    static let path = path(of: "sealedpush")
    static let bench = path(of: "sealedpush-bench")
    static let blobs = path(of: "sealedpush-blobs")

    static func path(of name: String) -> String {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent(name).path
    }

    static let checkout: String = {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
    }()

    static let keys = checkout + "/keys-example"

    /// Commands, each with its program.
    static let commands =
        [
            "keygen", "seal", "open", "attachment", "inspect", "safety-number", "send", "simulate", "device",
            "replay", "demo",
        ]
        .map { ProgramCommand(program: "sealedpush", name: $0) }
        + ["crypto", "attachment", "extension", "fetch", "provider", "service"]
        .map { ProgramCommand(program: "sealedpush-bench", name: $0) }
        + ["serve", "token"].map { ProgramCommand(program: "sealedpush-blobs", name: $0) }

    struct ProgramCommand: CustomTestStringConvertible, Sendable {
        let program: String
        let name: String

        var testDescription: String { "\(program) \(name)" }

        func run(_ words: String..., in folder: Folder) async throws -> Run {
            try await Invocation([name] + words, of: path(of: program), in: folder).run()
        }
    }
}
