import ExtensionHarness
import FoundationXML
import TestSupport
import Testing
import UserNotifications

struct LockScreenPictureTests {
    @Test func `holds title, subtitle, body and time, beside the placeholder`() async throws {
        let texts = try DrawnTexts(svg: try await Self.example().svg)
        #expect(texts.all.contains("Acme Chat") && texts.all.contains("You have a new message"))
        #expect(texts.all.contains("Ada Lovelace") && texts.all.contains("Analytical Engine"))
        #expect(texts.all.contains("10:00") && texts.all.contains("Saturday, November 21"))
    }

    /// The picture that the documents show. After an intended change, look at the new one before you replace it.
    @Test func `the example is drawn as in docs`() async throws {
        let documented = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../docs/lock-screen.svg")
        let svg = try await Self.example().svg
        let isSame = try String(contentsOf: documented, encoding: .utf8) == svg
        #expect(isSame, "docs/lock-screen.svg should now be:\n\(svg)")
    }

    @Test(arguments: [
        "</text><script>alert(1)</script>", "\"/><image href=\"https://example.com/x\"/>", "]]>", "<!--", "&amp;&#60;",
        "&entity;", "'\"<>&", "a\u{0}b\u{1B}[2Jc\u{FFFE}\u{FFFF}", "\u{202E}</svg>", "<?xml version=\"1.1\"?>",
    ])
    func `text of strangers stays text`(_ text: String) async throws {
        let svg = try await picture(title: text, body: text).svg
        let texts = try DrawnTexts(svg: svg)
        #expect(texts.elements == ["svg", "defs", "linearGradient", "stop", "rect", "g", "text"])
        let readable = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value > 0xFFFD ? "\u{FFFD}" : $0 }
            )
        )
        // Lines break at spaces only.
        #expect(texts.all.joined(separator: " ").contains(readable))
    }

    @Test(arguments: [RunSeed.here()])
    func `any text makes well-formed XML`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let scalars = (0..<200).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0x10FFFF), using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            _ = try DrawnTexts(svg: try await picture(title: text, body: text).svg)
        }
    }

    @Test func `a title that is missing is the app's name, as on iOS`() async throws {
        let texts = try DrawnTexts(svg: try await picture(title: "", body: "Hello").svg)
        #expect(texts.all.contains("Other App") && texts.all.contains("Hello"))
    }

    @Test func `a long body is cut after four lines`() async throws {
        let body = (0..<400).map { "word\($0)" }.joined(separator: " ")
        let texts = try DrawnTexts(svg: try await picture(title: "T", body: body).svg)
        let lines = texts.all.filter { $0.hasPrefix("word") }
        #expect(lines.count == 4 && lines[3].hasSuffix("…"))
    }

    @Test func `text that runs from right to left begins at the right`() async throws {
        let svg = try await picture(title: "שלום", body: "abc").svg
        #expect(svg.contains(##"direction="rtl" fill="#1c1c1e">שלום<"##))
        #expect(svg.contains(##"direction="ltr" fill="#1c1c1e">abc<"##))
        let mixed = try await picture(title: "T", body: "שלום\nAda").svg
        #expect(mixed.contains(##"direction="rtl" fill="#1c1c1e">Ada<"##))
    }

    @Test(arguments: [("a.png", "image/png"), ("a.jpg", "image/jpeg")])
    func `an attached image is in the picture itself`(_ name: String, _ type: String) async throws {
        let magic: [UInt8] = name == "a.png" ? [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] : [0xFF, 0xD8, 0xFF]
        let svg = try await picture(attaching: Data(magic), named: name).svg
        #expect(svg.contains("xlink:href=\"data:\(type);base64,\(Data(magic).base64EncodedString())\""))
    }

    @Test(arguments: [
        ("a.gif", Data("GIF89a".utf8)), ("a.mp4", Data([0, 0, 0, 8] + "ftyp".utf8)),
        ("a.jpg", Data([0xFF, 0xD8, 0xFF]) + Data(count: 2 << 20)),
    ])
    func `what is no PNG or JPEG, or too large, is a symbol`(_ name: String, _ file: Data) async throws {
        let svg = try await picture(attaching: file, named: name).svg
        #expect(!svg.contains("data:") && svg.contains("<path"))
    }

    @Test func `a date can be in another language`() async throws {
        let texts = try DrawnTexts(svg: try await picture(language: "de").svg)
        #expect(texts.all.contains("Samstag, 21. November"))
    }

    @Test func `a device that shows nothing is drawn without a card, and the reason below it`() async throws {
        var conditions = Self.conditions
        conditions.alerts = .off
        let shown = try await Device(conditions) { ScriptedExtension() }.deliver(mutablePush)
        let texts = try DrawnTexts(svg: LockScreenPicture(of: shown, appName: "Other App").svg)
        #expect(texts.all.filter { $0 == "T" }.count == 1)
        #expect(texts.all.joined(separator: " ").contains("the person turned the app's notifications off"))
    }

    private static var conditions: Device.Conditions {
        var conditions = Device.Conditions()
        // 2026-11-21 10:00 UTC.
        conditions.date = Date(timeIntervalSince1970: 1_795_255_200)
        return conditions
    }

    private static func example() async throws -> LockScreenPicture {
        let folder = try TemporaryFolder()
        let photo = URL(fileURLWithPath: folder.path("photo.png"))
        try #require(Data(base64Encoded: landscape)).write(to: photo)
        let device = Device(conditions) {
            ScriptedExtension { _, handler in
                let content = content(
                    title: "Ada Lovelace",
                    subtitle: "Analytical Engine",
                    body: "The first program is ready. Shall we meet at nine, under the clock?"
                )
                // Without the photo the test fails, and says so.
                content.attachments = (try? [UNNotificationAttachment(identifier: "", url: photo)]) ?? []
                handler(content)
            }
        }
        let shown = try await device.deliver(
            #"{"aps":{"alert":{"title":"Acme Chat","body":"You have a new message"},"mutable-content":1}}"#
        )
        return withExtendedLifetime(device) { LockScreenPicture(of: shown, appName: "Acme Chat") }
    }

    /// A PNG of 32 by 32 dots.
    private static let landscape = """
        iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAADFBMVEWOxf//1gpefEw0qFPMUQj/AAAATklEQVR42tXQMQ6AMAwEQXv9/z\
        8DikACnLs2WSnVTeNE7FpeuV2ITCNWAPYK/w9t3Lm9F7xz+0+AFqAFkyzAAuagnjpQn+J8Yh5AtgI4ACMYBF2weqzGAAAAAElFTkSuQmCC
        """

    private func picture(
        title: String = "T",
        body: String = "B",
        language: String = "en",
        attachmentPath: String? = nil
    ) async throws -> LockScreenPicture {
        let device = Device(Self.conditions) {
            ScriptedExtension { _, handler in
                let content = content(title: title, body: body)
                if let path = attachmentPath {
                    let url = URL(fileURLWithPath: path)
                    // Without the attachment the test fails, and says so.
                    content.attachments = (try? [UNNotificationAttachment(identifier: "", url: url)]) ?? []
                }
                handler(content)
            }
        }
        let shown = try await device.deliver(mutablePush)
        return withExtendedLifetime(device) { LockScreenPicture(of: shown, appName: "Other App", language: language) }
    }

    private func picture(attaching file: Data, named name: String) async throws -> LockScreenPicture {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try file.write(to: URL(fileURLWithPath: path))
        return try await picture(attachmentPath: path)
    }
}

/// Texts that an independent XML parser finds in a picture.
private struct DrawnTexts {
    struct NotWellFormed: Error, CustomStringConvertible {
        let description: String
    }

    let all: [String]
    let elements: Set<String>

    init(svg: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = reader
        guard parser.parse() else {
            throw NotWellFormed(description: "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        }
        all = reader.texts
        elements = reader.elements
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var elements: Set<String> = []
        private var text: String?

        func parser(
            _: XMLParser,
            didStartElement name: String,
            namespaceURI _: String?,
            qualifiedName _: String?,
            attributes _: [String: String]
        ) {
            elements.insert(name)
            text = name == "text" ? "" : nil
        }

        func parser(_: XMLParser, foundCharacters string: String) { text? += string }

        func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
            if let text { texts.append(text) }
            text = nil
        }
    }
}
