import Testing

@testable import UserNotifications

struct ContentTests {
    @Test func `a new content has Apple's defaults`() {
        let content = UNNotificationContent()
        #expect(content.title.isEmpty && content.subtitle.isEmpty && content.body.isEmpty)
        #expect(content.badge == nil && content.sound == nil && content.attachments.isEmpty)
        #expect(content.userInfo.isEmpty && content.threadIdentifier.isEmpty && content.categoryIdentifier.isEmpty)
        #expect(content.launchImageName.isEmpty && content.fields.summaryArgument.isEmpty)
        #expect(content.targetContentIdentifier == nil && content.filterCriteria == nil)
        #expect(content.interruptionLevel == .active && content.relevanceScore == 0)
        #expect(content.fields.summaryArgumentCount == 1)
    }

    @Test func `a mutable copy holds everything the original holds`() throws {
        let original = Self.full()
        let copy = try #require(original.mutableCopy() as? UNMutableNotificationContent)
        #expect(describe(copy) == describe(original))
        #expect(describe(copy) != describe(UNNotificationContent()))
    }

    @Test func `changing a mutable copy never changes the original`() throws {
        let original = try #require(Self.full().copy() as? UNNotificationContent)
        let before = describe(original)
        let copy = try #require(original.mutableCopy() as? UNMutableNotificationContent)
        Self.change(copy)
        #expect(describe(original) == before)
        #expect(describe(copy) != before)
    }

    @Test func `changing a mutable content never changes a copy made before`() throws {
        let content = Self.full()
        let copy = try #require(content.copy() as? UNNotificationContent)
        let before = describe(copy)
        Self.change(content)
        #expect(describe(copy) == before)
    }

    @Test func `a copy cannot be edited, a mutable copy can`() throws {
        #expect(!(Self.full().copy() is UNMutableNotificationContent))
        #expect(Self.full().mutableCopy() is UNMutableNotificationContent)
    }

    @Test func `a request keeps the content it was made from`() {
        let content = Self.full()
        let request = UNNotificationRequest(identifier: "1", content: content, trigger: nil)
        let before = describe(request.content)
        Self.change(content)
        #expect(describe(request.content) == before)
        #expect(!(request.content is UNMutableNotificationContent))
        #expect(request.trigger == nil && request.identifier == "1")
    }

    /// Everything but the attachments, which need files.
    private static func full() -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "Ada"
        content.subtitle = "Analytical Society"
        content.body = "Notes on the engine"
        content.badge = 3
        content.sound = .criticalSoundNamed(UNNotificationSoundName("bell.caf"), withAudioVolume: 0.5)
        content.userInfo = ["aps": ["alert": "x"], "list": [1, 2]]
        content.launchImageName = "launch"
        content.targetContentIdentifier = "scene"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.25
        content.filterCriteria = "work"
        content.threadIdentifier = "chat-1"
        content.categoryIdentifier = "MESSAGE"
        return content
    }

    private static func change(_ content: UNMutableNotificationContent) {
        content.title += "!"
        content.subtitle = ""
        content.body = "changed"
        content.badge = nil
        content.sound = .default
        content.userInfo["aps"] = nil
        content.launchImageName = ""
        content.targetContentIdentifier = nil
        content.interruptionLevel = .passive
        content.relevanceScore = 1
        content.filterCriteria = nil
        content.threadIdentifier = "chat-2"
        content.categoryIdentifier = ""
    }

    private func describe(_ content: UNNotificationContent) -> [String] {
        let fields = [
            content.title, content.subtitle, content.body, content.launchImageName, content.threadIdentifier,
            content.categoryIdentifier,
        ]
        let optional: [Any?] = [
            content.badge, content.sound?.sound, content.targetContentIdentifier, content.filterCriteria,
        ]
        let userInfo = content.userInfo.map { "\($0.key)=\($0.value)" }.sorted()
        return fields + optional.map { "\($0 ?? "nil")" } + userInfo
            + ["\(content.interruptionLevel)", "\(content.relevanceScore)"]
    }
}
