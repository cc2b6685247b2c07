import Testing
import UserNotifications

@testable import ExtensionHarness

struct PresentationRuleTests {
    @Test func `an ordinary notification is a banner with its sound`() async throws {
        let shown = try await deliver(sound: #""default""#)
        #expect(shown.presentation.place == .banner(.noFocus) && shown.presentation.sound == .plays(.default))
    }

    @Test func `a Focus holds it back`() async throws {
        let shown = try await deliver(sound: #""default""#) { $0.focus = .on() }
        #expect(shown.presentation.place == .list(.focus))
        #expect(shown.presentation.sound == .silenced(.notInterrupting))
    }

    @Test func `an app that the Focus allows passes`() async throws {
        let shown = try await deliver { $0.focus = .on(allowsApp: true) }
        #expect(shown.presentation.place == .banner(.allowedApp))
    }

    @Test(arguments: [
        (Device.Entitlements.timeSensitive, true, Presentation.Place.banner(.timeSensitive)),
        (.timeSensitive, false, .list(.focus)), (Device.Entitlements(), true, .list(.focus)),
        (.criticalAlerts, true, .list(.focus)),
    ])
    func `what is time-sensitive passes where app and person may`(
        _ entitlements: Device.Entitlements,
        _ allowsTimeSensitive: Bool,
        _ place: Presentation.Place
    ) async throws {
        let shown = try await deliver(level: "time-sensitive") {
            $0.entitlements = entitlements
            $0.focus = .on(allowsTimeSensitive: allowsTimeSensitive)
        }
        #expect(shown.presentation.place == place)
    }

    @Test func `without the entitlement what is time-sensitive is an ordinary alert`() async throws {
        let shown = try await deliver(level: "time-sensitive")
        #expect(shown.presentation.level == .active && shown.interruptionLevel == .timeSensitive)
    }

    @Test func `a critical alert passes the Focus and the mute switch`() async throws {
        let shown = try await deliver(level: "critical", sound: #"{"critical":1,"volume":0.5}"#) {
            $0.entitlements = .criticalAlerts
            $0.focus = .on()
            $0.isMuted = true
        }
        let sound = ShownContent.Sound(name: nil, isCritical: true, isRingtone: false, volume: 0.5)
        #expect(shown.presentation.place == .banner(.critical) && shown.presentation.sound == .plays(sound))
    }

    @Test func `without the entitlement a critical sound is an ordinary one`() async throws {
        let shown = try await deliver(level: "critical", sound: #"{"critical":1,"volume":0.5}"#)
        #expect(shown.presentation.level == .active && shown.presentation.sound == .plays(.default))
    }

    @Test func `a muted phone is silent`() async throws {
        let shown = try await deliver(sound: #""default""#) { $0.isMuted = true }
        #expect(shown.presentation.sound == .silenced(.muted) && shown.presentation.place == .banner(.noFocus))
    }

    @Test func `a passive notification is only listed`() async throws {
        #expect(try await deliver(level: "passive").presentation.place == .list(.passive))
    }

    @Test func `under provisional authorization it comes quietly`() async throws {
        let shown = try await deliver(sound: #""default""#) { $0.alerts = .provisional }
        #expect(shown.presentation.place == .list(.provisional))
        #expect(shown.presentation.sound == .silenced(.notInterrupting) && shown.presentation.setsBadge)
    }

    @Test func `with alerts off nothing is shown, and the extension does not run`() async throws {
        let shown = try await deliver { $0.alerts = .off }
        #expect(shown.presentation.place == .nowhere(.alertsOff) && shown.why == .notRun(.alertsOff))
        #expect(!shown.presentation.setsBadge && shown.handlerCallCount == 0)
    }

    @Test(arguments: [
        (UNNotificationPresentationOptions(), Presentation.Place.inApp(banner: false, list: false), false),
        (UNNotificationPresentationOptions.banner, .inApp(banner: true, list: false), false),
        (UNNotificationPresentationOptions.list, .inApp(banner: false, list: true), false),
        (UNNotificationPresentationOptions([.banner, .list, .sound]), .inApp(banner: true, list: true), true),
    ])
    func `the app in front decides`(
        _ options: UNNotificationPresentationOptions,
        _ place: Presentation.Place,
        _ plays: Bool
    ) async throws {
        let shown = try await deliver(sound: #""default""#) { $0.app = .inForeground(willPresent: options) }
        #expect(shown.presentation.place == place)
        #expect(shown.presentation.sound == (plays ? .plays(.default) : .silenced(.app)))
        #expect(shown.presentation.setsBadge == options.contains(.badge))
    }

    @Test func `a push that is only a sound is heard and not shown`() async throws {
        let device = Device { ScriptedExtension() }
        let shown = try await device.deliver(#"{"aps":{"sound":"default","badge":4,"mutable-content":1}}"#)
        #expect(shown.why == .notRun(.noVisibleAlert) && shown.presentation.place == .nowhere(.noAlertText))
        #expect(shown.presentation.sound == .plays(.default) && device.badge == 4 && device.screen.isEmpty)
    }

    @Test func `an answer without text is suppressed only with the entitlement`() async throws {
        for (entitlements, why) in [
            (Device.Entitlements.filtering, ShownNotification.Why.suppressed), ([], .emptyAnswer),
        ] {
            let device = Device(.init().with { $0.entitlements = entitlements }) {
                ScriptedExtension { $1(UNNotificationContent()) }
            }
            let shown = try await device.deliver(mutablePush)
            #expect(shown.why == why, "\(shown)")
            #expect(device.screen.isEmpty == (why == .suppressed) && shown.isOriginal == (why == .emptyAnswer))
        }
    }

    private func deliver(
        level: String = "active",
        sound: String = "null",
        _ change: (inout Device.Conditions) -> Void = { _ in }
    ) async throws -> ShownNotification {
        try await Device(.init().with(change)) { ScriptedExtension { $1($0.content) } }.deliver(
            #"""
            {"aps":{"alert":"x","mutable-content":1,"badge":3,"interruption-level":"\#(level)","sound":\#(sound)}}
            """#
        )
    }
}
