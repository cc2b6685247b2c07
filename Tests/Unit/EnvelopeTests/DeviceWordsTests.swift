import Foundation
import Testing

@testable import Envelope

struct DeviceWordsTests {
    private static let table = "/usr/share/zoneinfo/iso3166.tab"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: table), "needs tzdata"))
    func `regions are those that ISO 3166 has assigned, and Kosovo`() throws {
        let lines = try String(contentsOfFile: Self.table, encoding: .utf8).split(separator: "\n")
        let assigned = Set(lines.filter { !$0.hasPrefix("#") }.map { String($0.prefix(2)) })
        #expect(assigned.count > 200 && DeviceWords.regions == assigned.union(["XK"]))
    }

    @Test(arguments: ["", "C", "ch", "CHE", "ZZ", "UK", "EU", "419", "756", "C\u{0}"])
    func `nothing else is a region`(_ text: String) { #expect(!DeviceWords.isRegion(text)) }
}
