import ExtensionHarness
import ShippingStyleExtension
import Testing
import UserNotifications
import XcodeTemplateExtension

/// App developers' extensions, compiled unmodified.
struct StrangersTests {
    @Test func `Xcode's template appends to the title`() async throws {
        let device = Device { XcodeTemplateExtension.PrincipalClass.make() }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.title == "T [modified]" && shown.body == "B" && shown.why == .answered)
        #expect(shown.userInfo["n"] == .integer(1) && shown.handlerCallCount == 1)
    }

    @Test func `Xcode's template is not run without mutable-content`() async throws {
        let device = Device { XcodeTemplateExtension.PrincipalClass.make() }
        let shown = try await device.deliver(Array(#"{"aps":{"alert":{"title":"T"}}}"#.utf8))
        #expect(shown.title == "T" && shown.why == .notRun(.notMutable))
    }

    @Test func `a shipping extension changes everything it reaches`() async throws {
        let device = Device { ShippingStyleExtension.PrincipalClass.make() }
        let shown = try await device.deliver(
            """
            {"aps":{"alert":{"title":"New message"},"badge":2,"mutable-content":1},"sender":{"name":"Ada"},"chat":"c1",
            "thumbnail":"iVBORw0KGgo="}
            """
        )
        #expect(shown.why == .answered && shown.title == "Ada" && shown.sound == .default && shown.badge == 3)
        #expect(shown.categoryIdentifier == "MESSAGE" && shown.threadIdentifier == "c1")
        #expect(shown.interruptionLevel == .timeSensitive && shown.relevanceScore == 0.75)
        #expect(shown.userInfo["decorated"] == .bool(true) && shown.userInfo["chat"] == .string("c1"))
        let attachment = try #require(shown.attachments.first)
        #expect(attachment.identifier == "thumbnail" && attachment.type == "public.png")
        #expect(FileManager.default.contents(atPath: attachment.path)?.count == 8)
        #expect(device.badge == 3)
    }

    @Test func `a shipping extension catches the error of an unsupported attachment`() async throws {
        let shown = try await deliver(
            #"{"aps":{"alert":{"title":"x"},"mutable-content":1},"thumbnail":"AAAA","thumbnail-name":"a.svg"}"#
        )
        #expect(shown.subtitle == "Unsupported picture" && shown.attachments.isEmpty && shown.why == .answered)
    }

    @Test func `a shipping extension answers when its time expires`() async throws {
        let device = Device { ShippingStyleExtension.PrincipalClass.make() }
        let payload = Array(#"{"aps":{"alert":{"title":"x"},"mutable-content":1},"pending":true}"#.utf8)
        let shown = try await device.deliver(payload)
        #expect(shown.why == .expired && shown.body == "You have a new message" && shown.subtitle == "…")
        #expect(shown.handlerCallCount == 1)
    }

    private func deliver(_ json: String) async throws -> ShownNotification {
        try await Device { ShippingStyleExtension.PrincipalClass.make() }.deliver(json)
    }
}
