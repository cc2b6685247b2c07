import Foundation
import TestSupport
import Testing

@testable import Bench
@testable import ExtensionHarness
@testable import NotificationServiceExtension

/// A placeholder that is queued before the work, in an extension with its own process.
struct PlaceholderTests {
    private static let text = "second of 1"

    private let folder: TemporaryFolder
    private let conditions: Device.Conditions
    private let pushes: [ScheduledPush]

    init() throws {
        folder = try TemporaryFolder()
        let phone = try ScheduledPhone(folder: folder.path("phone"))
        conditions = phone.conditions
        pushes = try phone.pushes(number: 1)
    }

    private func device(_ attachments: String) -> Device {
        var program = ExtensionProgram.built("PlaceholderExtensionHost")
        program.arguments = [attachments]
        return Device(process: program, conditions)
    }

    /// All of the time in which a queued placeholder is shown.
    private func wait(_ device: Device) { device.clock.advance(by: .seconds(60)) }

    @Test func `an answer in time leaves no placeholder`() async throws {
        let device = device("prompt")
        let shown = await device.deliver(pushes[1].push)
        #expect(shown.why == .answered && shown.body == Self.text, "\(shown)")
        #expect(device.pending.isEmpty)
        wait(device)
        #expect(device.posted.isEmpty && device.screen.map(\.body) == [Self.text])
    }

    @Test(.disabled(if: Sanitizer.isPresent, "no limit then"))
    func `an extension that is ended for its memory leaves the app's words, later and once`() async throws {
        let device = device("huge")
        let shown = await device.deliver(pushes[1].push)
        guard case .ended(.killedForMemory) = shown.why else {
            Issue.record("\(shown)")
            return
        }
        // iOS shows the push's own alert at once.
        #expect(shown.title == ScheduledPush.relaysTitle && device.pending.count == 1 && device.posted.isEmpty)
        wait(device)
        #expect(device.posted.map(\.title) == ["Acme Chat"])
        #expect(device.posted.map(\.body) == ["You have a new message"] && device.pending.isEmpty)
        #expect(device.posted.map(\.identifier) == ["sealedpush-placeholder-" + pushes[1].push.identifier])
    }

    @Test func `an extension that is ended without a last call leaves the app's words`() async throws {
        let device = device("stalled")
        // Long enough for a process on a busy machine to be called.
        device.conditions.limits = Device.Limits(time: .seconds(5), grace: .seconds(60))
        device.conditions.expiry = .never
        let shown = await device.deliver(pushes[1].push)
        #expect(shown.why == .timedOut && shown.title == ScheduledPush.relaysTitle, "\(shown)")
        wait(device)
        #expect(device.posted.map(\.body) == ["You have a new message"])
    }

    @Test func `a last call is answered, and the placeholder taken away`() async throws {
        let device = device("stalled")
        device.conditions.limits = Device.Limits(time: .seconds(5), grace: .seconds(60))
        let shown = await device.deliver(pushes[1].push)
        #expect(shown.why == .expired && shown.title == "Acme Chat", "\(shown)")
        wait(device)
        #expect(device.posted.isEmpty && device.pending.isEmpty)
    }

    @Test(arguments: [Device.Repetition.twice, .twiceAtOnce])
    func `a push that comes twice leaves no placeholder`(_ repetition: Device.Repetition) async throws {
        let device = device("prompt")
        device.conditions.repetition = repetition
        _ = await device.deliver(pushes[1].push)
        wait(device)
        #expect(device.posted.isEmpty && device.pending.isEmpty)
        // At once, the replay may look at the screen before the message is there.
        if repetition == .twice { #expect(device.screen.map(\.body) == [Self.text]) }
    }

    @Test func `pushes at once each have one, and none is left`() async throws {
        let device = device("prompt")
        let shown = await device.deliver(atOnce: pushes.prefix(3).map(\.push))
        #expect(shown.allSatisfy { $0.why == .answered }, "\(shown)")
        wait(device)
        #expect(device.posted.isEmpty && device.pending.isEmpty)
    }

    @Test func `without the setting nothing is queued`() async throws {
        let device = Device(conditions) { PrincipalClass.make() }
        device.conditions.expiry = .never
        _ = await device.deliver(pushes[1].push)
        wait(device)
        #expect(device.posted.isEmpty && device.pending.isEmpty)
    }
}
