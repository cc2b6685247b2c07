import APNS
import Testing

@testable import APNSProvider

struct PushNotificationTests {
    private static func notification(_ change: (inout PushNotification) throws -> Void) throws -> PushNotification {
        var notification = PushNotification(
            deviceToken: try DeviceToken(bytes: [1]),
            topic: try Topic("com.example.chat"),
            payload: Array("{}".utf8)
        )
        try change(&notification)
        return notification
    }

    private static func topic(of pushType: PushType) throws -> Topic {
        guard pushType != .mdm else { return try Topic("com.apple.mgmt.External.0a1b2c3d") }
        return try Topic("com.example.chat").appendingSuffix(of: pushType)
    }

    private static func fault(of notification: PushNotification, now: Int64? = nil) -> PushNotificationError? {
        do throws(PushNotificationError) {
            try notification.check(now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: PushType.allCases)
    func `every push type passes with its topic, its priority and its size, and not with a byte more`(
        _ pushType: PushType
    ) throws {
        var notification = try Self.notification {
            $0.pushType = pushType
            $0.topic = try Self.topic(of: pushType)
            $0.priority = pushType == .background ? .powerAware : .immediate
            $0.payload = [UInt8](repeating: 0x20, count: pushType.payloadByteCountMax)
        }
        #expect(Self.fault(of: notification) == nil)
        notification.payload.append(0x20)
        let limit = pushType == .voip ? 5120 : 4096
        #expect(Self.fault(of: notification) == .payloadTooLarge(byteCount: limit + 1, byteCountMax: limit))
        notification.payload = []
        #expect(Self.fault(of: notification) == .payloadEmpty)
    }

    @Test(arguments: PushType.allCases)
    func `no push type takes another one's topic`(_ pushType: PushType) throws {
        for other in PushType.allCases {
            let notification = try Self.notification {
                $0.pushType = pushType
                $0.topic = try Self.topic(of: other)
                $0.priority = pushType == .background ? .low : nil
            }
            let fault = Self.fault(of: notification)
            guard try Self.topic(of: other) != Self.topic(of: pushType) else {
                #expect(fault == nil)
                continue
            }
            #expect(fault?.reason == .badTopic, "\(pushType) \(other)")
            switch pushType {
            case .mdm: #expect(fault == .topicNotOfManagement)
            case .alert, .background: #expect(fault == .topicBelongs(to: other))
            default: #expect(fault == .topicLacksSuffix(of: pushType))
            }
        }
    }

    @Test(arguments: PushType.allCases)
    func `each priority is refused where Apple's table refuses it, and none means 10`(_ pushType: PushType) throws {
        for priority in Priority.allCases.map(Optional.some) + [nil] {
            let notification = try Self.notification {
                $0.pushType = pushType
                $0.topic = try Self.topic(of: pushType)
                $0.priority = priority
            }
            let expected =
                pushType.expects(priority ?? .immediate)
                ? nil : PushNotificationError.priorityNotAllowed(priority, for: pushType)
            #expect(Self.fault(of: notification) == expected)
        }
    }

    @Test func `an expiration is 0 or to come, if a clock is given`() throws {
        for (expiration, fault) in [
            (nil, nil), (Expiration.oneAttempt, nil), (Expiration(unixSeconds: 101), nil),
            (Expiration(unixSeconds: 100), PushNotificationError.expirationPast),
            (Expiration(unixSeconds: 1), .expirationPast),
        ] {
            let notification = try Self.notification { $0.expiration = expiration }
            #expect(Self.fault(of: notification, now: 100) == fault)
            #expect(Self.fault(of: notification) == nil)
        }
    }

    @Test func `a trace is short, printable and ASCII`() throws {
        for text in ["a", "order 4711/b", String(repeating: "~", count: 64)] {
            #expect(Self.fault(of: try Self.notification { $0.trace = text }) == nil)
        }
        for text in ["", "a\nb", "é", "\u{7F}", String(repeating: "a", count: 65)] {
            #expect(Self.fault(of: try Self.notification { $0.trace = text }) == .traceMalformed)
        }
    }

    @Test(arguments: PushType.allCases)
    func `the credential must cover the push type`(_ pushType: PushType) throws {
        let notification = try Self.notification { $0.pushType = pushType }
        func fault(_ hasProviderToken: Bool) -> PushNotificationError? {
            do throws(PushNotificationError) {
                try notification.checkAuthentication(hasProviderToken: hasProviderToken)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(true) == (pushType == .mdm ? .needsCertificate(.mdm) : nil))
        let needsToken = pushType == .location || pushType == .liveactivity
        #expect(fault(false) == (needsToken ? .needsProviderToken(pushType) : nil))
    }

    @Test(arguments: [
        (PushNotificationError.payloadEmpty, "PayloadEmpty"),
        (.payloadTooLarge(byteCount: 4097, byteCountMax: 4096), "1 more than the 4096"),
        (.priorityNotAllowed(nil, for: .background), "is 5 or 1, and without one it is 10; APNs answers BadPriority."),
        (.priorityNotAllowed(.low, for: .liveactivity), "is 10 or 5, not 1; APNs may answer BadPriority."),
        (.priorityNotAllowed(.powerAware, for: .pushtotalk), "is 10, not 5; APNs may answer BadPriority."),
        (.topicLacksSuffix(of: .voip), "followed by .voip; APNs answers BadTopic."),
        (.topicBelongs(to: .voip), "for voip pushes"), (.topicNotOfManagement, "com.apple.mgmt."),
        (.expirationPast, "use 0 or a future time"), (.needsProviderToken(.location), "TopicDisallowed"),
        (.needsCertificate(.mdm), "TopicDisallowed"), (.traceMalformed, "64 printable"),
    ])
    func `a fault's sentence names the rule`(_ fault: PushNotificationError, _ part: String) {
        #expect(fault.description.contains(part))
        if let reason = fault.reason { #expect(fault.description.contains(reason.rawValue)) }
    }
}
