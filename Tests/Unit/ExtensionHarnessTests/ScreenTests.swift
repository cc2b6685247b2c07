import Testing
import UserNotifications

@testable import ExtensionHarness

struct ScreenTests {
    @Test func `the newest is listed first, and the badge is its number`() async throws {
        let device = Device { ScriptedExtension { $1($0.content) } }
        for number in 1...3 { _ = await device.deliver(try push("\(number)", badge: number)) }
        #expect(device.screen.map(\.body) == ["3", "2", "1"] && device.badge == 3)
    }

    @Test func `a push with the collapse id of a listed one replaces it`() async throws {
        let device = Device { ScriptedExtension { $1($0.content) } }
        for number in 1...3 { _ = await device.deliver(try push("\(number)", identifier: number == 2 ? "b" : "a")) }
        #expect(device.screen.map(\.body) == ["3", "2"])
    }

    @Test func `a badge below zero hides it`() async throws {
        let device = Device { ScriptedExtension { $1($0.content) } }
        _ = await device.deliver(try push("x", badge: -7))
        #expect(device.badge == 0)
    }

    @Test func `an extension takes what it was told off the screen`() async throws {
        let device = Device {
            ScriptedExtension { request, handler in
                if request.content.body == "remove" {
                    UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: ["a", "unknown"])
                }
                handler(request.content)
            }
        }
        _ = await device.deliver(try push("1", identifier: "a"))
        _ = await device.deliver(try push("2", identifier: "b"))
        _ = await device.deliver(try push("remove", identifier: "c"))
        #expect(device.screen.map(\.identifier) == ["c", "b"])
    }

    @Test func `an extension sees what is listed, sets the badge and reads the settings`() async throws {
        let device = Device(.init().with { $0.alerts = .provisional }) {
            ScriptedExtension { request, handler in
                let handler = Handler(call: handler)
                Task {
                    let center = UNUserNotificationCenter.current()
                    let bodies = await center.deliveredNotifications().map(\.request.content.body)
                    try? await center.setBadgeCount(9)
                    let status = await center.notificationSettings().authorizationStatus
                    handler.call(content(title: "\(status)", body: "\(bodies)"))
                }
            }
        }
        _ = await device.deliver(try push("1"))
        let shown = await device.deliver(try push("2"))
        #expect(shown.body == #"["[]"]"# && shown.title == "provisional" && device.badge == 9)
    }

    @Test func `without a device the center has nothing`() async throws {
        let center = UNUserNotificationCenter.current()
        #expect(await center.deliveredNotifications().isEmpty)
        center.removeAllDeliveredNotifications()
        #expect(await center.notificationSettings().authorizationStatus == .notDetermined)
    }

    @Test func `several at once are each listed`() async throws {
        let device = Device { ScriptedExtension { $1($0.content) } }
        let pushes = try (0..<50).map { try push("\($0)") }
        let shown = await device.deliver(atOnce: pushes)
        #expect(shown.map(\.body) == (0..<50).map(String.init) && device.screen.count == 50)
    }

    private func push(_ body: String, badge: Int = 0, identifier: String = UUID().uuidString) throws -> SimulatedPush {
        let json = #"{"aps":{"alert":"\#(body)","badge":\#(badge),"mutable-content":1}}"#
        return try SimulatedPush(payload: json.utf8, identifier: identifier)
    }
}
