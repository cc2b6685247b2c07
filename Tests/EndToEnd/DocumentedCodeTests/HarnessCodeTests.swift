import ExtensionHarness
import Testing

@testable import NotificationServiceExtension

/// "Test your own code" of README.md.
struct HarnessCodeTests {
    @Test func `a push is answered ten seconds after its begin, or before`() async throws {
        let device = Device { NotificationService() }
        device.conditions.expiry = .early(by: .seconds(20))
        let shown = try await device.deliver(#"{"aps":{"alert":"Hello","mutable-content":1}}"#)
        #expect(shown.why == .answered)
    }
}
