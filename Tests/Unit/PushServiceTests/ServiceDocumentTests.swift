import APNS
import Foundation
import PushStore
import Testing

@testable import PushService

struct ServiceDocumentTests {
    private static func text() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/service.md"), encoding: .utf8)
    }

    @Test func `every limit stands there with its default`() throws {
        let lines = try Self.text().split(separator: "\n")
        let defaults = ServiceLimits()
        for setting in ServiceLimits.settings {
            let row = lines.first { $0.hasPrefix("| `\(setting.name)` |") }
            let cells = row?.split(separator: "|").map { $0.filter { $0 != " " && $0 != "," } }
            #expect(cells?.dropFirst().first == "\(defaults[keyPath: setting.path])", "\(setting.name)")
        }
    }

    @Test func `every variable and every operation stands there`() throws {
        let text = try Self.text()
        for variable in ConfigurationEnvironment.all where variable.path[0] != "limits" {
            #expect(text.contains("`\(variable.name)`"), "\(variable.name)")
        }
        for route in Route.all {
            let scope = route.scope.map { "`\($0.rawValue)`" } ?? "none"
            #expect(
                text.contains("| `\(route.method) \(route.pattern)` | \(scope)"),
                "\(route.method) \(route.pattern)"
            )
        }
    }

    @Test func `every class stands there with what Apple sees`() throws {
        let text = try Self.text()
        for known in NotificationClass.allCases {
            let others = known.expirySeconds.filter { $0 != known.defaultExpirySeconds }
            let expiry = ([known.defaultExpirySeconds] + others).map(String.init).joined(separator: ", ")
            let row =
                "| `\(known.rawValue)` | \(known.lane.word) | \(known.pushType.rawValue) | \(known.priority.rawValue) | \(expiry) |"
            #expect(text.contains(row), "\(row)")
        }
    }
}
