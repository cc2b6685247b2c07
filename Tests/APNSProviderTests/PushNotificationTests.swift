import APNS
import Testing

@testable import APNSProvider

struct PushNotificationTests {
    private static func notification(_ change: (inout PushNotification) throws -> Void) throws -> PushNotification {
        var notification = PushNotification(
            id: APNSID(randomBytes: Array(0..<16)),
            deviceToken: try DeviceToken(bytes: [1]),
            topic: try Topic("com.example.chat"),
            payload: Array("{}".utf8)
        )
        try change(&notification)
        return notification
    }

    @Test func `what keeps the rules passes`() throws {
        try Self.notification { _ in }.check()
        try Self.notification { $0.payload = [UInt8](repeating: 0x20, count: 4096) }.check()
        try Self.notification {
            $0.pushType = .voip
            $0.topic = try $0.topic.appendingSuffix(of: .voip)
            $0.payload = [UInt8](repeating: 0x20, count: 5120)
        }.check()
        try Self.notification {
            $0.pushType = .background
            $0.priority = .powerAware
        }.check()
    }

    @Test func `each broken rule is named, with Apple's reason`() throws {
        let empty = try Self.notification { $0.payload = [] }
        #expect(throws: PushNotification.Fault.payloadEmpty) { try empty.check() }
        let large = try Self.notification { $0.payload = [UInt8](repeating: 0x20, count: 4097) }
        let tooLarge = PushNotification.Fault.payloadTooLarge(byteCount: 4097, byteCountMax: 4096)
        #expect(throws: tooLarge) { try large.check() }
        #expect(tooLarge.description.contains("1 more than the 4096"))
        let background = try Self.notification { $0.pushType = .background }
        #expect(throws: PushNotification.Fault.backgroundNeedsLowerPriority) { try background.check() }
        let urgent = try Self.notification {
            $0.pushType = .background
            $0.priority = .immediate
        }
        #expect(throws: PushNotification.Fault.backgroundNeedsLowerPriority) { try urgent.check() }
        let call = try Self.notification { $0.pushType = .voip }
        #expect(throws: PushNotification.Fault.topicLacksSuffix(of: .voip)) { try call.check() }
        #expect(PushNotification.Fault.topicLacksSuffix(of: .voip).reason == .badTopic)
    }
}
