import ExtensionHarness
import NotificationServiceExtension
import Testing

/// The extension that Xcode would compile, run as iOS would. EndToEndTests opens a message with a real device process:
/// the extension finds its container through the environment, which a process has only one of.
struct NotificationServiceTests {
    private let device = Device { PrincipalClass.make() }

    @Test(arguments: [
        #"{"aps":{"alert":{"title":"Relay","body":"evil","subtitle":"evil"},"mutable-content":1,"badge":7}}"#,
        #"{"aps":{"alert":"evil","mutable-content":1,"sound":"evil","category":"evil"},"sealed":"x","url":"evil"}"#,
        #"{"aps":{"alert":"evil","mutable-content":1,"thread-id":"evil"},"sealed":{"evil":1},"trace":"evil"}"#,
    ])
    func `a push that cannot be opened shows the app's words and nothing of the push`(_ payload: String) async throws {
        let shown = try await device.deliver(Array(payload.utf8))
        #expect(shown.why == .answered)
        #expect(shown.handlerCallCount == 1)
        #expect(shown.title == "Acme Chat")
        #expect(shown.body == "You have a new message")
        #expect(!"\(shown)".contains("evil"))
        #expect(shown.badge == nil)
    }

    @Test func `a push without mutable-content never reaches the extension`() async throws {
        let shown = try await device.deliver(Array(#"{"aps":{"alert":"words of the relay"}}"#.utf8))
        #expect(shown.why == .notRun(.notMutable))
        #expect(shown.body == "words of the relay")
    }
}
