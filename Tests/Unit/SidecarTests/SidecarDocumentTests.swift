import Foundation
import Testing

@testable import Sidecar

/// docs/sidecar-openapi.yaml against the operations and problems that it describes.
struct SidecarDocumentTests {
    private static func lines() throws -> [Substring] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/sidecar-openapi.yaml"), encoding: .utf8)
        return text.split(separator: "\n")
    }

    @Test func `the document has the operations that the sidecar answers`() throws {
        var path = ""
        var routes: [SidecarRoute] = []
        for line in try Self.lines().prefix(while: { $0 != "components:" }) {
            let word = line.drop { $0 == " " }.dropLast()
            switch line.count - word.count - 1 {
            case 2 where word.hasPrefix("/"): path = String(word).replacing("{id}", with: "id")
            case 4 where ["get", "post", "put", "delete"].contains(word):
                routes.append(try SidecarRoute(method: word.uppercased(), path: path))
            default: continue
            }
        }
        let all: [SidecarRoute] = [
            .postMessage, .getMessage("id"), .deleteDevice("id"), .postEvents, .getResends, .health, .readiness,
            .metrics,
        ]
        #expect(routes == all)
    }

    @Test func `the document has the type of each problem, and no other`() throws {
        let prefix = "- urn:sealedpush:problem:"
        let words = try Self.lines().map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(prefix) }
        #expect(words.map { $0.dropFirst(prefix.count) } == SidecarProblem.Kind.allCases.map { $0.rawValue[...] })
    }
}
