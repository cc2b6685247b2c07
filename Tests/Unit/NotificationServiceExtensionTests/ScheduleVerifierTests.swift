import ExtensionHarness
import TestSupport
import Testing
import UserNotifications

@testable import Bench

/// The verifier of random schedules finds its mistakes: extensions that break one promise each.
struct ScheduleVerifierTests {
    @Test func `an extension that keeps the relay's words is caught`() async throws {
        let mistakes = try await mistakes { request, answer in answer(request.content) }
        #expect(mistakes == [.relaysWords, .messageLost])
    }

    @Test func `an extension that shows its own words only has lost the messages`() async throws {
        let mistakes = try await mistakes { _, answer in answer(content("You have a new message")) }
        #expect(mistakes == [.messageLost])
    }

    @Test func `an extension that never remembers what it showed is caught`() async throws {
        let mistakes = try await mistakes { request, answer in answer(content(request.text ?? "You have a new message"))
        }
        #expect(mistakes == [.messageRepeated])
    }

    @Test func `an extension that answers twice is caught`() async throws {
        let mistakes = try await mistakes { _, answer in
            answer(content("You have a new message"))
            answer(content("You have a new message"))
        }
        #expect(mistakes == [.messageLost, .finding(.answeredAgain)])
    }

    /// All mistakes that 100 schedules show of an extension that answers so.
    private func mistakes(
        _ respond: @escaping @Sendable (UNNotificationRequest, (UNNotificationContent) -> Void) -> Void
    ) async throws -> Set<ScheduleVerifier.Mistake> {
        let folder = try TemporaryFolder()
        let phone = try ScheduledPhone(folder: folder.path("phone"))
        var mistakes: Set<ScheduleVerifier.Mistake> = []
        for seed in 0..<100 {
            let pushes = try phone.pushes(number: UInt64(seed))
            let schedule = DeviceSchedule(seed: UInt64(seed), pushCount: pushes.count, on: phone.conditions)
            let report = await schedule.run(pushes.map(\.push)) { Responding(respond) }
            var judge = ScheduleVerifier(pushes)
            mistakes.formUnion(judge.mistakes(in: report, of: schedule))
        }
        return mistakes
    }
}

private func content(_ body: String) -> UNNotificationContent {
    let content = UNMutableNotificationContent()
    content.body = body
    return content
}

extension UNNotificationRequest {
    /// The message's text, which the identifier reveals to the maker of the pushes.
    fileprivate var text: String? {
        let parts = identifier.split(separator: "-")
        return switch parts.last {
        case "1": "first of \(parts[0])"
        case "2": "second of \(parts[0])"
        default: nil
        }
    }
}

private final class Responding: UNNotificationServiceExtension {
    private let respond: @Sendable (UNNotificationRequest, (UNNotificationContent) -> Void) -> Void

    init(_ respond: @escaping @Sendable (UNNotificationRequest, (UNNotificationContent) -> Void) -> Void) {
        self.respond = respond
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        respond(request, contentHandler)
    }
}
