import Foundation
import Opening
import Testing

@testable import NotificationCore

struct DisplayPolicyTests {
    private static let words: Set<OutcomeKind> = [.opened, .openedWithoutAttachments, .unauthenticated, .muted]

    @Test(arguments: OutcomeKind.allCases)
    func `every outcome has its own word and one row`(_ kind: OutcomeKind) {
        #expect(Samples.content(of: kind).kind == kind)
        #expect(DisplayPolicy.defaults[DisplayPolicy.row(of: kind)] != nil)
    }

    @Test(arguments: OutcomeKind.allCases)
    func `whatever came, there is a text that iOS can show, or the entitlement to show none`(_ kind: OutcomeKind) {
        for hasEntitlement in [false, true] {
            for isSuppressed in [false, true] {
                var display = DisplayPolicy(texts: Samples.texts)
                display.hasFilteringEntitlement = hasEntitlement
                display[kind].isSuppressed = isSuppressed
                let content = Samples.content(of: kind, display: display)
                #expect(content.isSuppressed == (hasEntitlement && isSuppressed))
                #expect((content.title + content.subtitle + content.body).isEmpty == content.isSuppressed)
                #expect(content.body.isEmpty == content.isSuppressed)
            }
        }
    }

    @Test(arguments: OutcomeKind.allCases.filter { !DisplayPolicyTests.words.contains($0) })
    func `what is no message has the app's constants and nothing else`(_ kind: OutcomeKind) {
        let content = Samples.content(of: kind)
        let row = DisplayPolicy(texts: Samples.texts)[kind]
        #expect(content.title == Samples.texts.title)
        #expect(content.body == Samples.texts[row.text])
        #expect(content.level == row.level)
        #expect(content.subtitle + content.threadID + content.category + content.targetContentID == "")
        #expect(content.badge == nil && content.sender == nil && content.info.isEmpty && content.relevanceScore == 0)
    }

    @Test(arguments: OutcomeKind.allCases)
    func `what is suppressed without the entitlement is neutral, silent and passive`(_ kind: OutcomeKind) {
        var display = DisplayPolicy(texts: Samples.texts)
        display[kind] = DisplayPolicy.Row(sound: .default, level: .critical, isSuppressed: true)
        let content = Samples.content(of: kind, display: display)
        #expect(content.title == Samples.texts.title)
        #expect(content.body == Samples.texts.neutral)
        #expect(content.sound == nil && content.level == .passive && content.badge == nil)
        #expect(!content.isSuppressed)
    }

    @Test func `a flood of junk rings nobody`() {
        for kind in [OutcomeKind.malformed, .notSealed, .unverifiedSender, .replay, .unsupported, .tooOld, .expired] {
            #expect(Samples.content(of: kind).sound == nil, "\(kind)")
        }
    }

    @Test func `an app's own row counts`() {
        var display = DisplayPolicy(texts: Samples.texts)
        display[.expired] = DisplayPolicy.Row(text: .updateNeeded, sound: .default, level: .timeSensitive)
        let content = Samples.content(.expired, display: display)
        #expect(content.body == Samples.texts.updateNeeded)
        #expect(content.sound == .default)
        #expect(content.level == .timeSensitive)
    }

    @Test func `docs say what the defaults are`() throws {
        let text = try String(
            contentsOf: URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../docs/what-is-shown.md")
                .standardizedFileURL,
            encoding: .utf8
        )
        for kind in OutcomeKind.allCases {
            let row = DisplayPolicy(texts: Samples.texts)[kind]
            let shown = Self.words.contains(kind) ? "the message" : "`\(row.text)`"
            let level = Self.words.contains(kind) && kind != .muted ? "" : "\(row.level)"
            let line = "| `\(kind.rawValue)` | \(row.isSuppressed ? "nothing" : shown) | \(row.sound) | \(level)"
            #expect(text.contains("\n" + line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }
}
