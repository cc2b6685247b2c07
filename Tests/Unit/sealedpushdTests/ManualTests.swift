import Foundation
import ServiceParts
import Testing

@testable import sealedpushd

/// docs/man/sealedpushd.8 against the program.
struct ManualTests {
    private static func manual() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/man/sealedpushd.8"), encoding: .utf8)
    }

    @Test func `every option and command that --help names is in the manual, and the other way round`() throws {
        let manual = try Self.manual().split(separator: "\n").map(String.init)
        var told: Set<String> = []
        for line in manual {
            let words = line.split(separator: " ").map(String.init)
            for (macro, word) in zip(words, words.dropFirst()) {
                if macro.hasSuffix("Fl") { told.insert("-" + word) }
                if macro.hasSuffix("Cm") { told.insert(word) }
            }
        }
        var helped: Set<String> = []
        for line in Usage.text.split(separator: "\n") {
            // The program's name precedes the words, three spaces the text about them.
            guard let start = line.firstRange(of: "sealedpushd ")?.upperBound else { continue }
            let words = String(line[start...])
            let end = words.firstRange(of: "   ")?.lowerBound ?? words.endIndex
            for word in words[..<end].split(separator: " ") where word.allSatisfy({ $0.isLowercase || $0 == "-" }) {
                helped.insert(String(word))
            }
        }
        #expect(helped.count >= 8, "\(helped.sorted())")
        #expect(told == helped)
    }

    @Test(arguments: [ExitCode.done, ExitCode.failed, ExitCode.usage, ExitCode.configuration])
    func `every exit code is in the manual`(_ code: Int32) throws {
        let parts = try Self.manual().split(separator: ".Sh EXIT STATUS")
        #expect(parts.count == 2 && parts[1].contains("\n.It \(code)\n"))
    }
}
