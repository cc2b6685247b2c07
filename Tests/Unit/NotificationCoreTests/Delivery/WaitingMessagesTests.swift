import Envelope
import Foundation
import Keys
import Opening
import Platform
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Messages that waited for the unlock, shown by the extension with the next push.
struct WaitingMessagesTests {
    private let handset: Handset
    private let device: AppDevice
    private let posted = Posted()

    init() throws {
        handset = try Handset(seed: 470, usesUnlockedClass: true)
        device = try handset.launch(name: "Ada")
    }

    private func wait(_ bodies: [String]) throws {
        handset.lock.set(.locked)
        for body in bodies {
            handset.show(try handset.push(Message(body: body), to: device, .unlocked))
            handset.pass(.seconds(1))
        }
        handset.lock.set(.unlocked)
    }

    private func showWaiting() {
        handset.pipeline().showWaiting(by: posted, keepsReceipts: false, now: handset.now)
    }

    @Test func `they are shown in order, each once, and not by the app again`() throws {
        try wait(["1", "2", "3"])
        showWaiting()
        #expect(posted.bodies == ["1", "2", "3"] && Set(posted.ids).count == 3)
        showWaiting()
        #expect(posted.bodies.count == 3)
        #expect(try device.openSpooled(now: handset.now).isEmpty && handset.spooled().isEmpty)
    }

    @Test func `on a locked device they go on waiting`() throws {
        try wait(["1"])
        handset.lock.set(.locked)
        showWaiting()
        #expect(posted.bodies.isEmpty)
        handset.lock.set(.unlocked)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["1"])
    }

    @Test func `one push shows eight, and the next the rest`() throws {
        try wait((1...10).map { "\($0)" })
        showWaiting()
        #expect(posted.bodies == (1...8).map { "\($0)" })
        #expect(try handset.spooled().count == 2)
        showWaiting()
        #expect(posted.bodies == (1...10).map { "\($0)" })
    }

    @Test func `an app that takes messages itself keeps them`() throws {
        try wait(["1"])
        try device.takeMessages(now: handset.now)
        showWaiting()
        #expect(posted.bodies.isEmpty)
        #expect(try handset.spooled().count == 1)
    }

    @Test func `a later message can remove one, and one that removes another shows nothing`() throws {
        let message = try handset.prepared(Message(body: "1"))
        handset.lock.set(.locked)
        handset.show(try handset.push(message, to: handset.recipient(device, .unlocked)))
        handset.lock.set(.unlocked)
        showWaiting()
        handset.pass(.seconds(1))
        var removal = Message()
        removal.operation = .remove(message.messageID)
        handset.lock.set(.locked)
        handset.show(try handset.push(removal, to: device, .unlocked))
        handset.lock.set(.unlocked)
        showWaiting()
        #expect(posted.contents.map(\.isSuppressed) == [false, true])
        #expect(posted.contents.last?.replacedRequestIDs == [posted.ids[0]])
    }

    @Test func `a stranger's message has its placeholder, and no second one`() throws {
        try wait(["1"])
        try device.setContacts(ContactList())
        showWaiting()
        #expect(posted.contents.map(\.isSuppressed) == [true])
        #expect(try handset.spooled().isEmpty)
    }

    @Test func `they come after the answer, and only with the setting`() async throws {
        for isOn in [false, true] {
            let script = try Script()
            let shown = Guarded(0)
            var steps = script.steps()
            steps.showWaiting = { _, _ in
                #expect(script.entries.contains(.remembered("text")))
                shown.withLock { $0 += 1 }
            }
            let stepper = Stepper()
            var settings = ExtensionCore.Settings()
            settings.waiting = isOn ? posted : nil
            let core = ExtensionCore(
                steps: steps,
                reports: [],
                settings: settings,
                surroundings: stepper.surroundings(randomNumber: 0)
            )
            core.receive(userInfo: [:], requestID: "1") { script.answer($0) }
            stepper.runToTheEnd()
            #expect(shown.withLock { $0 } == (isOn ? 1 : 0))
        }
    }

    /// App and extension open the same sixty at once, in processes of their own.
    @Test func `an app and an extension that open them at once show each once`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("group"), withIntermediateDirectories: false)
        let device = try AppDevice.open(Self.settings(folder.path)).device
        let sender = SenderIdentity()
        try device.setContacts(ContactList(people: [sender.publicKey]))
        let recipient = try Recipient(
            bundle: device.bundle().bytes,
            pinnedIdentity: device.identity,
            topic: BundleID("com.example.chat"),
            withoutPinsAt: .now
        )
        for number in 0..<60 {
            let sealed = try sender.seal(Message(body: "\(number)"), for: recipient, sentAt: .now)
            let payload = sealed.payload(placeholder: try Placeholder(title: "Relay", body: "words"))
            let push = try JSONSerialization.jsonObject(with: Data(payload)) as? [AnyHashable: Any] ?? [:]
            Self.pipeline(folder.path).keep(IncomingPush(userInfo: push), now: .now)
        }
        await withTaskGroup { group in
            for number in 0..<2 {
                group.addTask { [path = folder.path] in
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        try Self.race(number, in: path)
                    }
                }
            }
        }
        let shown = try (0..<2).map { number in
            try String(contentsOfFile: folder.path("shown-\(number)"), encoding: .utf8).split(separator: ",")
        }
        #expect((shown[0] + shown[1]).sorted() == (0..<60).map { "\($0)" }.sorted().map { Substring($0) })
        #expect(try device.openSpooled().isEmpty)
    }

    private static func race(_ number: Int, in folder: String) throws {
        let device = try AppDevice.open(settings(folder)).device
        _ = FileManager.default.createFile(atPath: folder + "/ready-\(number)", contents: nil)
        while !FileManager.default.fileExists(atPath: folder + "/ready-\(1 - number)") { sched_yield() }
        let bodies: [String]
        if number == 0 {
            bodies = try device.openSpooled().map(\.body)
        } else {
            let posted = Posted()
            for _ in 0..<8 { pipeline(folder).showWaiting(by: posted, keepsReceipts: false, now: .now) }
            bodies = posted.bodies
        }
        try bodies.joined(separator: ",").write(toFile: folder + "/shown-\(number)", atomically: true, encoding: .utf8)
    }

    private static func settings(_ folder: String) throws -> AppDevice.Settings {
        AppDevice.Settings(
            topic: try BundleID("com.example.chat"),
            containerPath: folder + "/group",
            privatePath: folder + "/private",
            display: DisplayPolicy(texts: Handset.texts)
        )
    }

    private static func pipeline(_ folder: String) -> NotificationPipeline {
        NotificationPipeline(containerPath: folder + "/group", display: DisplayPolicy(texts: Handset.texts))
    }
}

private final class Posted: LocalNotifications {
    private let added = Guarded<[(id: String, content: NotificationContent)]>([])

    var ids: [String] { added.withLock { $0.map(\.id) } }
    var contents: [NotificationContent] { added.withLock { $0.map(\.content) } }
    var bodies: [String] { contents.map(\.body) }

    func add(_ content: NotificationContent, id: String, after delay: Duration?) {
        added.withLock { $0.append((id, content)) }
    }

    func removePending(id: String) {}
}
