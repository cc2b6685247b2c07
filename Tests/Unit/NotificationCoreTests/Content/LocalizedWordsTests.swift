import Envelope
import Foundation
import Opening
import TestSupport
import Testing

@testable import NotificationCore

struct LocalizedWordsTests {
    private static let table = [
        "JOIN": "%@ joined %@", "SWAP": "%2$@ of %1$@", "RATE": "%@ is 100 %%", "TITLE": "From %@", "EMPTY": "\u{200B}",
        "HEBREW": "שלום %@!",
    ]

    private func content(_ message: Message) -> NotificationContent {
        let sources = ContentSources(string: { Self.table[$0] })
        return Samples.content(.opened(Samples.opened(message)), sources: sources)
    }

    private func body(_ key: String, _ arguments: String..., words: String = "") -> String {
        var message = Message(body: words)
        message.localizedBody = LocalizedText(key: key, arguments: arguments)
        return content(message).body
    }

    @Test func `a key becomes the app's text with its arguments`() {
        #expect(body("JOIN", "Ada", "the team") == "Ada joined the team")
        #expect(body("SWAP", "Ada", "Lunch") == "Lunch of Ada")
        #expect(body("RATE", "It") == "It is 100 %")
        #expect(body("JOIN", "Ada") == "Ada joined ")
    }

    @Test func `a key goes before words, and an unknown key is the words, or the app's own, and never the key`() {
        #expect(body("RATE", "It", words: "plain") == "It is 100 %")
        #expect(body("UNKNOWN", "It", words: "plain") == "plain")
        #expect(body("UNKNOWN", "It") == Samples.texts.newMessage)
        #expect(body("EMPTY") == Samples.texts.newMessage)
    }

    @Test func `title and subtitle come from keys too, and an unknown one is none`() {
        var message = Message(title: "words", subtitle: "words", body: "Hello")
        message.localizedTitle = LocalizedText(key: "TITLE", arguments: ["Ada"])
        message.localizedSubtitle = LocalizedText(key: "UNKNOWN")
        #expect(content(message).title == "From Ada")
        #expect(content(message).subtitle == "words")
        message = Message(body: "Hello")
        message.localizedTitle = LocalizedText(key: "UNKNOWN")
        #expect(content(message).title == "")
        message = Message()
        message.localizedTitle = LocalizedText(key: "UNKNOWN")
        #expect(content(message).title == Samples.texts.title)
        #expect(content(message).body == Samples.texts.newMessage)
    }

    @Test(arguments: [
        ("\u{202E}Ada", "Ada joined x"), ("Ada\n\n\nAcme: pay now", "Ada   Acme: pay now joined x"),
        ("%@ %1$@ %%", "%@ %1$@ %% joined x"), ("A\u{0}d\u{1B}a", "Ada joined x"), ("\u{2066}Ada", "Ada joined x"),
    ])
    func `an argument turns, hides and breaks nothing (abuse case 20)`(_ argument: String, _ text: String) {
        #expect(body("JOIN", argument, "x") == text)
    }

    @Test(arguments: ["\u{301}\u{338}\u{20DD}", "\u{200D}", "\u{FE0F}", "\u{1F3FF}", "\u{93E}"])
    func `an argument does not reach over the joint to change the app's own letters (abuse case 20)`(_ joint: String) {
        #expect(Array(body("TITLE", joint + "Ada").unicodeScalars) == Array("From Ada".unicodeScalars))
        #expect(Array(body("JOIN", "Ada\u{200D}", "x").unicodeScalars) == Array("Ada joined x".unicodeScalars))
    }

    @Test func `an argument of the other direction leaves the text around it in order (abuse case 20)`() {
        #expect(body("JOIN", "שלום", "x") == "\u{2068}שלום\u{2069} joined x")
        #expect(body("HEBREW", "Ada") == "שלום \u{2068}Ada\u{2069}!")
        #expect(body("JOIN", "\u{2069}שלום\u{2068}", "x") == "\u{2068}שלום\u{2069} joined x")
    }

    @Test func `arguments without end end (abuse case 20)`() {
        let text = body("JOIN", String(repeating: "x", count: 100_000), "y")
        #expect(text.count <= 2_001)
    }

    @Test func `the app's tables are read from its folder in the person's language`() throws {
        let handset = try Handset(seed: 400)
        let device = try handset.launch()
        let folder = handset.folder.path("app")
        for (language, text) in [("de", "%@ ist da"), ("en", "%@ is here")] {
            try FileManager.default.createDirectory(
                atPath: folder + "/\(language).lproj",
                withIntermediateDirectories: true
            )
            try Data("\"HERE\" = \"\(text)\";".utf8)
                .write(to: URL(fileURLWithPath: folder + "/\(language).lproj/Localizable.strings"))
        }
        handset.display.setStrings(folder: folder, languages: ["de-AT", "en"])
        var message = Message()
        message.localizedBody = LocalizedText(key: "HERE", arguments: ["Ada"])
        #expect(handset.show(try handset.push(message, to: device)).body == "Ada ist da")
    }
}
