import ExtensionHarness
import Foundation
import Testing

@testable import ChatExtension

/// A sealed message, as our users see it.
@Suite struct ChatTests {
  let phone: ChatPhone
  var device: Device { phone.device }

  init() throws { phone = try ChatPhone() }

  @Test func `a message is opened and shown`() async throws {
    let shown = try await device.deliver(phone.push("Nine o'clock?"))

    #expect(shown.why == .answered)
    #expect(shown.title == "Ada" && shown.body == "Nine o'clock?")
    #expect(shown.original.body == "New message")
  }

  @Test func `a message that comes a month too late is not shown any more`() async throws {
    let push = try phone.push("Nine o'clock?")
    device.conditions.date = Date().addingTimeInterval(30 * 86_400)
    let shown = try await device.deliver(push)

    #expect(shown.body == "A message arrived too late to be shown")
  }

  @Test func `before the first unlock the text waits`() async throws {
    device.conditions.lock = .beforeFirstUnlock
    let shown = try await device.deliver(phone.push("Nine o'clock?"))

    #expect(shown.why == .answered)
    #expect(!shown.body.contains("Nine"))
  }

  @Test func `files that are Complete by default do not cost a locked phone the text`() async throws {
    device.conditions.lock = .locked
    device.conditions.entitlements = .completeProtection
    let shown = try await device.deliver(phone.push("Nine o'clock?"))

    #expect(shown.body == "Nine o'clock?")
  }

  @Test func `a message that iOS delivers twice stays on the screen, and is heard once`() async throws {
    device.conditions.repetition = .twice
    let second = try await device.deliver(phone.push("Nine o'clock?"))
    let first = try #require(second.repeated.first)

    #expect(first.body == "Nine o'clock?" && first.presentation.sound != .none)
    #expect(second.body == "Nine o'clock?" && second.presentation.sound == .none)
    #expect(device.screen.map(\.body) == ["Nine o'clock?"])
  }

  @Test func `a message that was dismissed does not come back`() async throws {
    let push = try SimulatedPush(payload: phone.push("Nine o'clock?"))
    let shown = await device.deliver(push)
    device.dismiss(shown.identifier)
    let second = await device.deliver(push)

    #expect(second.body != "Nine o'clock?" && second.presentation.sound == .none)
  }

  @Test func `a stranger cannot put words on the screen`() async throws {
    let shown = try await device.deliver(#"{"aps":{"alert":"Click here","mutable-content":1},"sealed":"AAAA"}"#)

    #expect(shown.body == "You have a new message")
  }

  @Test func `a full disk does not cost the text`() async throws {
    device.conditions.storage = .full
    let shown = try await device.deliver(phone.push("Nine o'clock?"))

    #expect(shown.why == .answered)
    #expect(shown.hasAlertText)
  }

  @Test func `a phone that is unlocked a second later has shown the text, or keeps it for the app`() async throws {
    device.conditions.lock = .beforeFirstUnlock
    device.conditions.changes = [.init(after: .seconds(1), .lock(.unlocked))]
    let shown = try await device.deliver(phone.push("Nine o'clock?"))

    #expect(shown.hasAlertText)
  }

  /// Each number is another day: locks, full disks, early ends, pushes at once and twice. Two seconds for fifty of
  /// them.
  @Test(arguments: UInt64(1)...50) func `whatever happens, the extension keeps to the rules`(seed: UInt64) async throws {
    let pushes = try (1...3).map { try SimulatedPush(payload: phone.push("Message \($0)")) }
    let schedule = DeviceSchedule(seed: seed, pushCount: pushes.count, on: device.conditions)
    let report = await schedule.run(pushes) { NotificationService() }

    #expect(report.findings.isEmpty, "\(schedule)")
  }
}
