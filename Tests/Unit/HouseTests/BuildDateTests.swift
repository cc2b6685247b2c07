import Foundation
import TestSupport
import Testing

/// The date that a device's clock is held against: the build's own, which is not kept by hand.
struct BuildDateTests {
    private static let path = "Sources/Opening/Message/BuildDate.swift"
    private static let day: Int64 = 86_400

    private static func write(secondsSince1970: Int64, over text: String = "") throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("BuildDate.swift", text)
        let script = Checkout.root.appendingPathComponent("scripts/build-date").path
        #expect(try shell("SOURCE_DATE_EPOCH=\(secondsSince1970) exec sh \"$1\" \"$2\"", script, file))
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    /// The time of the commit that is checked out; nil where there is none, as in an archive.
    private static func commitTime() throws -> Int64? {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("time", "")
        let root = Checkout.root.path
        guard try shell("git -C \"$1\" log -1 --format=%ct >\"$2\" 2>&1", root, file) else { return nil }
        return Int64(try String(contentsOfFile: file, encoding: .utf8).filter(\.isNumber))
    }

    /// - Returns: true if it ended well.
    private static func shell(_ command: String, _ words: String...) throws -> Bool {
        let id = try Spawn.start(["/bin/sh", "-c", command, "sh"] + words, descriptors: [])
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }

    /// Seconds since 1970.
    private static func date(in text: String) throws -> Int64 {
        let digits = try #require(text.split(separator: "milliseconds: ").last?.prefix { $0.isNumber || $0 == "_" })
        return try #require(Int64(digits.filter(\.isNumber))) / 1_000
    }

    @Test func `the script writes a day of UTC, to the millisecond, and never an earlier one than before`() throws {
        // 2026-11-24 23:59:59 UTC.
        let text = try Self.write(secondsSince1970: 1_795_564_799)
        #expect(text.contains("Day of the build, 2026-11-24:"))
        #expect(text.contains("Timestamp(milliseconds: 1_795_478_400_000)"))
        #expect(try Self.write(secondsSince1970: 1_795_564_799 - 2 * Self.day, over: text) == text)
        #expect(try Self.write(secondsSince1970: 1_795_564_800, over: text).contains("2026-11-25"))
    }

    @Test func `the date in the sources is one that the script wrote`() throws {
        let text = try Checkout.file(Self.path).text
        #expect(try Self.write(secondsSince1970: Self.date(in: text)) == text)
    }

    @Test func `the date is that of no commit to come, and of none long ago`() throws {
        let date = try Self.date(in: Checkout.file(Self.path).text)
        #expect(date <= Int64(Date().timeIntervalSince1970))
        // The newest day in the changelog's headings.
        let days = try Checkout.file("CHANGELOG.md").lines.filter { $0.text.hasPrefix("## ") }
            .compactMap { try Self.day(namedIn: $0.text) }
        #expect(date >= days.max() ?? 0)
        // An archive has the date of its packing.
        guard let seconds = try Self.commitTime() else { return }
        #expect(date <= seconds && seconds - date < 90 * Self.day, "run scripts/build-date, and commit what it writes")
    }

    @Test func `a day in a heading is found`() throws {
        #expect(try Self.day(namedIn: "## 1.2.0 (2026-11-24)") == 1_795_478_400)
        #expect(try Self.day(namedIn: "## Unreleased") == nil)
    }

    private static func day(namedIn heading: Substring) throws -> Int64? {
        guard let found = heading.firstMatch(of: /\d{4}-\d{2}-\d{2}/) else { return nil }
        let date = try Date("\(found.output)T00:00:00Z", strategy: .iso8601)
        return Int64(date.timeIntervalSince1970)
    }
}
