import APNS
import APNSSimulator
import CommandLineTool
import DeviceLink
import Envelope
import ExtensionHarness
import IncomingCalls
import Keys
import Networking
import NotificationCore
import NotificationServiceExtension
import Opening
import Platform
import Sealing

/// The page's phone: one app, with keys of its own, behind the simulator; the extension runs in its own process.
final class PlaygroundPhone: Sendable {
    static let appName = "Acme Chat"

    private struct State {
        var conditions = PlaygroundConditions()
        var lastShown: (payload: [UInt8], title: String, body: String)?
        var isConnected = true
    }

    let topic: BundleID
    let tokens: [TokenKind: DeviceToken]
    private let connection: DeviceConnection
    private let device: Device
    private let app: PhoneApp
    private let calls: PhoneCalls
    private let report: PlaygroundReport
    private let state = Guarded(State())

    private static let kinds: [TokenKind] = [
        .voip, .complication, .fileProvider, .liveActivity, .widgets, .controls, .location,
    ]

    /// - Parameters:
    ///   - container: temporary; outlives the phone.
    init(
        _ container: borrowing AppContainer,
        topic: BundleID,
        connection: DeviceConnection,
        program: ExtensionProgram,
        sender: SenderKey,
        report: PlaygroundReport
    ) async throws(CommandError) {
        self.topic = topic
        self.connection = connection
        self.report = report
        device = Device(process: program, PlaygroundConditions().applied.conditions)
        app = try PhoneApp(container, topic: topic, hosts: [])
        calls = PhoneCalls(container, lock: .unlocked)
        var tokens: [TokenKind: DeviceToken] = [.app: connection.deviceToken]
        do {
            var contacts = ContactList()
            try contacts.add(Contact(key: sender, role: .service))
            try app.device.setContacts(contacts)
            try app.confirmTime()
            _ = try app.device.rotateIfDue()
            for kind in Self.kinds {
                let instance: [UInt8] = kind == .liveActivity ? Array("playground".utf8) : []
                guard let registration = TokenRegistration(kind, instance: instance) else { continue }
                tokens[kind] = try await connection.register(registration)
            }
        } catch {
            throw .failed("the playground's phone could not be set up: \(error)")
        }
        self.tokens = tokens
    }

    var isConnected: Bool { state.withLock { $0.isConnected } }
    var conditions: PlaygroundConditions { state.withLock { $0.conditions } }

    /// Title and body, if the phone showed this payload last.
    func shown(_ payload: [UInt8]) -> (title: String, body: String)? {
        guard let last = state.withLock({ $0.lastShown }), last.payload == payload else { return nil }
        return (last.title, last.body)
    }

    /// Token for a type of push; the app's for an unknown one.
    func token(for pushType: String) -> String {
        let type = PushType(rawValue: pushType).map(TokenKind.init(of:)) ?? .app
        return (tokens[type] ?? connection.deviceToken).hex
    }

    func change(_ request: ControlRequest) throws(ControlProblem) -> PlaygroundConditions {
        let conditions = try state.withLock { state throws(ControlProblem) in
            try state.conditions.change(request)
            return state.conditions
        }
        let applied = conditions.applied
        device.conditions = applied.conditions
        connection.report(applied.state)
        if applied.conditions.lock == .unlocked { openSpooled() }
        return conditions
    }

    /// Sealed for this phone, as by a back end with its key bundle.
    func seal(_ message: Message, as sender: borrowing SenderIdentity) throws(ControlProblem) -> SealedMessage {
        do {
            let recipient = try Recipient(
                bundle: try app.device.bundle().bytes,
                pinnedIdentity: app.device.identity,
                topic: topic,
                withoutPinsAt: .now
            )
            return try sender.seal(message, for: recipient, sentAt: .now)
        } catch let error as SealingError {
            throw ControlProblem(error.sentence)
        } catch {
            throw ControlProblem(500, "the phone's key bundle could not be used (\(error)); start the simulator again")
        }
    }

    /// Returns at the connection's end.
    func run() async {
        var ending = "the simulator ended the connection"
        do throws(DeviceLinkError) {
            while let push = try await connection.next() {
                report.arrived(push)
                await take(push)
                connection.acknowledge(push)
            }
        } catch {
            ending = "the connection to the simulator ended (\(error))"
        }
        state.withLock { $0.isConnected = false }
        report.happened("away", ending)
    }

    func close() { connection.close() }

    private func take(_ push: DevicePush) async {
        do throws(SimulatedPushError) {
            switch push.pushType {
            case .voip: report.happened("call", "\(try await calls.deliver(push.payload))", push)
            case .background:
                report.happened("woken", "a silent push: iOS wakes the app", push)
                openSpooled()
            case .liveactivity, .widgets, .controls, .location, .complication, .fileprovider, .mdm, .pushtotalk:
                report.happened("other", "a \(push.pushType.rawValue) push: iOS runs no service extension", push)
            case .alert:
                let shown = try await device.deliver(push.payload)
                state.withLock { $0.lastShown = (push.payload, shown.title, shown.body) }
                let hasWarning = if case .never = device.conditions.expiry { false } else { true }
                report.shown(shown, push, appName: Self.appName, hasWarning: hasWarning)
            }
        } catch {
            report.happened("not-shown", "not shown: the payload is \(error.clause)", push)
        }
    }

    /// The app opens what came while the phone was locked.
    private func openSpooled() {
        do {
            for content in try app.device.openSpooled() {
                report.happened(
                    "opened",
                    "the app opened it, after the phone was unlocked: \(content.title): \(content.body)"
                )
            }
        } catch {
            report.happened("not-opened", "the app could not open what came before (\(error))")
        }
    }
}
