import Foundation
import TestSupport
import Testing

@testable import Bench
@testable import ExtensionHarness
@testable import NotificationServiceExtension

/// The extension that Xcode would compile, on a device that gets a push a second time (abuse case 43).
struct SecondDeliveryTests {
    private let folder: TemporaryFolder
    private let device: Device
    private let push: SimulatedPush
    private let other: SimulatedPush

    init() throws {
        folder = try TemporaryFolder()
        let phone = try ScheduledPhone(folder: folder.path("phone"))
        let pushes = try phone.pushes(number: 1)
        device = Device(phone.conditions) { PrincipalClass.make() }
        push = pushes[0].push
        other = pushes[1].push
    }

    @Test func `what is on the screen stays there, in silence, when its push comes again (abuse case 43)`() async throws
    {
        let first = await device.deliver(push)
        #expect(first.body == "first of 1" && first.presentation.sound != .none)
        let second = await device.deliver(push)
        #expect(second.body == "first of 1" && second.title == ScheduledPush.title && second.why == .answered)
        #expect(second.presentation.place == .list(.passive) && second.content.sound == nil)
        #expect(second.content.userInfo == first.content.userInfo)
        #expect(device.screen.map(\.body) == ["first of 1"])
    }

    @Test func `it stays however often its push comes`() async throws {
        for _ in 0..<5 { _ = await device.deliver(push) }
        #expect(device.screen.map(\.body) == ["first of 1"])
    }

    @Test func `two at once leave the message on the screen`() async throws {
        device.conditions.repetition = .twiceAtOnce
        _ = await device.deliver(push)
        #expect(device.screen.map(\.body) == ["first of 1"])
    }

    @Test func `what the person has dismissed is not shown again`() async throws {
        let first = await device.deliver(push)
        device.dismiss(first.identifier)
        #expect(device.screen.isEmpty)
        let second = await device.deliver(push)
        #expect(second.body == "Your conversations are up to date")
        #expect(second.presentation.place == .list(.passive) && second.content.sound == nil)
    }

    @Test func `under the identifier of another message it does not bring its own words back`() async throws {
        _ = await device.deliver(push)
        _ = await device.deliver(other)
        device.dismiss(push.identifier)
        let again = await device.deliver(
            try #require(SimulatedPush(userInfo: push.userInfo, identifier: other.identifier))
        )
        #expect(again.body == "Your conversations are up to date")
    }

    @Test func `words that the relay put in its place are not handed back`() async throws {
        let first = await device.deliver(push)
        let forged = try SimulatedPush(
            payload:
                #"{"aps":{"alert":"Relay's words"},"sealedpush":{"sender":"\#(zeros(43))","message":"\#(zeros(22))"}}"#
                .utf8,
            identifier: first.identifier
        )
        _ = await device.deliver(forged)
        #expect(device.screen.map(\.body) == ["Relay's words"])
        _ = await device.deliver(push)
        #expect(device.screen.map(\.body) == ["Your conversations are up to date"])
    }

    private func zeros(_ characterCount: Int) -> String { String(repeating: "A", count: characterCount) }

    @Test func `a time that is over is not waited through`() async throws {
        let first = await device.deliver(push)
        device.dismiss(first.identifier)
        device.conditions.expiry = .early(by: .milliseconds(29_500))
        let second = await device.deliver(push)
        #expect(second.why == .expired && second.body == "Your conversations are up to date")
    }
}
