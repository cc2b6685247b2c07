import TestSupport
import Testing
import UserNotifications

@testable import ExtensionHarness

struct HostCodingTests {
    @Test func `a content of every kind comes back as it was`() throws {
        let original = content(title: "\u{301}combining", subtitle: "\u{0}\n\r", body: "😀\u{2028}")
        original.badge = .init(value: Int.min)
        original.sound = .criticalSoundNamed(UNNotificationSoundName("wakeEvent.caf"), withAudioVolume: 0.25)
        original.interruptionLevel = .timeSensitive
        original.relevanceScore = 0.1
        original.targetContentIdentifier = ""
        original.userInfo = [
            "s": "s", "o": "oText", "empty": "", "mark": "\u{301}", "null": NSNull(), "yes": true, "one": 1,
            "max": Int.max, "half": 0.5, "tiny": Double.leastNonzeroMagnitude,
            "list": [1, [2, ["x": false]]] as [Any],
            "data": Data([1]), "infinity": -Double.infinity,
        ]
        let shown = ShownContent(original)
        let line = try #require(HostCoding.line(HostReport.answered(3, shown)))
        #expect(line.last == UInt8(ascii: "\n") && !line.dropLast().contains(UInt8(ascii: "\n")))
        #expect(HostCoding.message(HostReport.self, line: line.dropLast()) == .answered(3, shown))
    }

    @Test func `a payload nested as deep as JSON may be gets through`() throws {
        let depth = 500
        let value = (0..<depth).reduce(UserInfoValue.integer(1)) { inner, _ in .array([inner]) }
        let line = try #require(HostCoding.line(value))
        #expect(HostCoding.message(UserInfoValue.self, line: line.dropLast()) == value)
    }

    @Test func `nesting without end is no message`() {
        let line = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(HostCoding.message(UserInfoValue.self, line: line) == nil)
    }

    @Test(arguments: [
        "", " ", "{}", "[]", "null", "7", #"{"answered":{}}"#, #"{"answered":{"_0":0}}"#, #"{"returned":{"_0":1e99}}"#,
        #"{"returned":{"_0":"0"}}"#, #"{"returned":{"_0":0},"answered":{}}"#, #"{"other":{"_0":0}}"#, "\u{FEFF}{}",
        #"{"answered":{"_0":0,"_1":{"title":"x"}}}"#, #"{"returned":{"_0":0}"#,
    ])
    func `anything else is no report`(_ line: String) {
        #expect(HostCoding.message(HostReport.self, line: line.utf8) == nil)
    }

    @Test func `random bytes are no report, and end nothing`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let good = try #require(HostCoding.line(HostReport.answered(0, ShownContent(content(title: "T")))))
        for _ in 0..<2_000 {
            var line = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                line[Int.random(in: line.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Some changes leave a report with other numbers and texts: it only matters that each has a result.
            _ = HostCoding.message(HostReport.self, line: line)
        }
        #expect(HostCoding.message(HostReport.self, line: good.dropLast()) != nil, "seed \(seed)")
    }

    @Test func `lines come out whole, however their bytes come in`() {
        var buffer = LineBuffer()
        for byte in "one\n\ntwo\nthr".utf8 { buffer.append([byte]) }
        #expect(buffer.next() == Array("one".utf8) && buffer.next() == [] && buffer.next() == Array("two".utf8))
        #expect(buffer.next() == nil)
        buffer.append(Array("ee\n".utf8))
        #expect(buffer.next() == Array("three".utf8) && !buffer.isOverflown)
    }

    @Test func `a line longer than any message is the end of reading`() {
        var buffer = LineBuffer()
        buffer.append([UInt8](repeating: 0, count: HostCoding.lineByteCountMax))
        #expect(buffer.next() == nil && !buffer.isOverflown)
        buffer.append([0])
        #expect(buffer.next() == nil && buffer.isOverflown)
        buffer.append([UInt8(ascii: "\n")])
        #expect(buffer.next() == nil)
    }
}
