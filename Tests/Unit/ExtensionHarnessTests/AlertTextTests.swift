import TestSupport
import Testing
import UserNotifications

@testable import ExtensionHarness

struct AlertTextTests {
    private let app: TemporaryFolder

    init() throws {
        app = try TemporaryFolder()
        for (language, text) in [
            ("en", #""TITLE" = "Message from %@"; "BODY" = "%2$@ in %1$@"; "SUB" = "100%%";"#),
            ("de", #""TITLE" = "Nachricht von %@";"#),
        ] {
            let folder = app.path("\(language).lproj")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/Localizable.strings"))
        }
    }

    @Test func `keys and their arguments become texts before the extension runs`() async throws {
        let shown = try await deliver(
            """
            "title-loc-key":"TITLE","title-loc-args":["Ada"],"subtitle-loc-key":"SUB",
            "loc-key":"BODY","loc-args":["Rome","Photos"]
            """
        )
        #expect(shown.title == "Message from Ada" && shown.subtitle == "100%" && shown.body == "Photos in Rome")
        #expect(shown.why == .answered)
    }

    @Test(arguments: [
        (["de-AT", "en"], "Nachricht von Ada"), (["fr", "de"], "Nachricht von Ada"), (["ja"], "Message from Ada"),
        ([], "Message from Ada"),
    ])
    func `the person's languages are tried in order`(_ languages: [String], _ title: String) async throws {
        let shown = try await deliver(#""title-loc-key":"TITLE","title-loc-args":["Ada"]"#, languages)
        #expect(shown.title == title)
    }

    @Test(arguments: [
        (#""title-loc-key":"TITLE""#, "Message from "),
        (#""title-loc-key":"TITLE","title-loc-args":null"#, "Message from "),
        (#""title-loc-key":"TITLE","title-loc-args":[7]"#, "Message from "), (#""title-loc-key":"OTHER""#, "OTHER"),
        (#""title-loc-key":"TITLE","title-loc-args":["%@"]"#, "Message from %@"), (#""title-loc-key":null"#, ""),
        (#""title":"given","title-loc-key":"TITLE""#, "given"), (#""title-loc-key":"%s%n%@""#, "%s%n"),
    ])
    func `what is missing or malformed is never a trap`(_ members: String, _ title: String) async throws {
        #expect(try await deliver(members + #","body":"x""#).title == title)
    }

    @Test func `an app without translations shows the keys`() async throws {
        let shown = try await Device { ScriptedExtension { $1($0.content) } }
            .deliver(#"{"aps":{"alert":{"loc-key":"BODY"},"mutable-content":1}}"#)
        #expect(shown.body == "BODY")
    }

    private func deliver(_ alert: String, _ languages: [String] = ["en"]) async throws -> ShownNotification {
        let conditions = Device.Conditions().with {
            $0.appBundle = URL(fileURLWithPath: app.path, isDirectory: true)
            $0.languages = languages
        }
        return try await Device(conditions) { ScriptedExtension { $1($0.content) } }
            .deliver(#"{"aps":{"alert":{\#(alert)},"mutable-content":1}}"#)
    }
}
