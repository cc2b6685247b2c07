import Envelope
import Foundation
import Keys
import Opening
import TestSupport
import Testing
import UserNotifications

@testable import NotificationCore
@testable import NotificationServiceExtension

struct NotificationMappingTests {
    private static var full: NotificationContent {
        var content = NotificationContent("Lunch?", title: "Ada", outcome: .replay, kind: .replay, claim: nil)
        content.subtitle = "Work"
        content.threadID = "t"
        content.category = "reply"
        content.badge = 7
        content.relevanceScore = 0.75
        content.targetContentID = "chat/7"
        content.info = ["chat": .string("7"), "count": .integer(3), "isNew": .bool(true)]
        content.trace = "AAAAAAAAAAAAAAAAAAAAAA"
        return content
    }

    @Test func `every member of the value reaches iOS`() throws {
        let shown = Self.full.notification()
        #expect(shown.title == "Ada" && shown.subtitle == "Work" && shown.body == "Lunch?")
        #expect(shown.threadIdentifier == "t" && shown.categoryIdentifier == "reply")
        #expect(shown.badge == 7)
        #expect(shown.relevanceScore == 0.75)
        #expect(shown.targetContentIdentifier == "chat/7")
        #expect(Set(shown.userInfo.keys) == ["trace", "sealedpush"])
        #expect(shown.userInfo["trace"] as? String == "AAAAAAAAAAAAAAAAAAAAAA")
        let sealed = try #require(shown.userInfo["sealedpush"] as? [String: Any])
        #expect(sealed["outcome"] as? String == "replay")
        let info = try #require(sealed["info"] as? [String: Any])
        #expect(info["chat"] as? String == "7" && info["count"] as? Int64 == 3 && info["isNew"] as? Bool == true)
    }

    @Test func `what is not there stays blank`() {
        let shown = NotificationContent("Hello", title: "", outcome: .replay, kind: .replay, claim: nil).notification()
        #expect(shown.badge == nil && shown.sound == nil && shown.targetContentIdentifier == nil)
        #expect(shown.subtitle + shown.threadIdentifier + shown.categoryIdentifier == "")
        #expect(shown.interruptionLevel == .active)
        #expect(shown.userInfo["trace"] == nil)
    }

    @Test func `a sound is iOS's own of that kind`() {
        let pairs: [(NotificationContent.Sound?, UNNotificationSound?)] = [
            (nil, nil), (.default, .default),
            (.named("a.caf"), UNNotificationSound(named: UNNotificationSoundName("a.caf"))),
            (.critical(name: nil, volume: nil), .defaultCritical),
            (.critical(name: nil, volume: 0.5), .defaultCriticalSound(withAudioVolume: 0.5)),
            (.critical(name: "a", volume: nil), .criticalSoundNamed(UNNotificationSoundName("a"))),
            (.critical(name: "a", volume: 0), .criticalSoundNamed(UNNotificationSoundName("a"), withAudioVolume: 0)),
        ]
        for (sound, expected) in pairs {
            var content = Self.full
            content.sound = sound
            #expect(content.notification().sound == expected)
        }
    }

    @Test func `each level is iOS's own`() {
        let pairs: [(NotificationContent.Level, UNNotificationInterruptionLevel)] = [
            (.passive, .passive), (.active, .active), (.timeSensitive, .timeSensitive), (.critical, .critical),
        ]
        for (level, expected) in pairs {
            var content = Self.full
            content.level = level
            #expect(content.notification().interruptionLevel == expected)
        }
    }

    @Test func `a file that iOS takes goes with the text, and any other stays away`() throws {
        let folder = try TemporaryFolder()
        var content = Self.full
        content.attachments = [
            NotificationContent.Attachment(id: "1", path: try folder.makeFile("a", "x"), type: "public.jpeg"),
            NotificationContent.Attachment(id: "2", path: folder.path("missing"), type: "public.jpeg"),
            NotificationContent.Attachment(id: "3", path: try folder.makeFile("c", "x"), type: "public.zip"),
        ]
        let shown = content.notification()
        #expect(shown.attachments.map(\.identifier) == ["1"])
        #expect(shown.attachments.map(\.type) == ["public.jpeg"])
        #expect(shown.body == "Lunch?")
    }

    @Test func `what is suppressed by entitlement has no text for iOS to show`() {
        var display = DisplayPolicy(texts: FailureTexts(title: "Acme", newMessage: "New"))
        display.hasFilteringEntitlement = true
        let content = NotificationContent(OpenedPush(outcome: .replay, claim: nil), display: display, trace: nil)
        let shown = content.notification()
        #expect(shown.title + shown.subtitle + shown.body == "")
        #expect(shown.sound == nil && shown.badge == nil)
    }
}
