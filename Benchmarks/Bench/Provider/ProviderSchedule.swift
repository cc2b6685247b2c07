private import APNS
package import APNSProvider
import APNSSimulator
package import Networking

/// One run made from a seed: the server's faults, the client's settings, and the notifications.
package struct ProviderSchedule: Sendable {
    package let seed: UInt64
    package let faultRate: Double
    package let notifications: [PushNotification]
    package let calls: [ScheduledCall]
    package private(set) var rules = ProviderScheduleVerifier.Rules()
    private let ambiguity: APNSClientConfiguration.AmbiguityPolicy
    private let connectionCountMax: Int
    private let connectionAgeMax: Duration
    private let waitingCountMax: Int
    private let spell: FaultPlan.Spell
    /// Speed of the clock by which provider tokens age.
    private let clockSpeed: Int64

    package init(seed: UInt64) {
        var dice = SeededDice(seed: seed &* 0x9E37_79B9 &+ 1)
        self.seed = seed
        spell = Self.spell(&dice)
        let isRefused = spell.isRefusal
        // A credential that has to show ten good answers in a row never would with many faults.
        faultRate = isRefused ? dice.pick(0, 0.02) : dice.pick(0.02, 0.05, 0.05, 0.2, 0.5)
        ambiguity = dice.pick(.report, .resendCollapsible, .resend)
        connectionCountMax = isRefused ? dice.pick(1, 1, 4) : dice.pick(1, 2, 4)
        connectionAgeMax = isRefused ? .seconds(3600) : dice.pick(.seconds(3600), .seconds(3600), .milliseconds(20))
        waitingCountMax = isRefused ? 1000 : dice.pick(2, 10, 1000)
        // 20,000 passes an hour in 180 milliseconds, so that tokens are renewed during a run.
        clockSpeed = dice.pick(1, 20_000)
        let count = isRefused ? 75...90 : 20...60
        notifications = (0..<Int.random(in: count, using: &dice)).map { _ in Self.notification(&dice) }
        calls = ScheduledCall.calls(for: notifications, &dice)
        let ambiguity = ambiguity
        rules.resendable = Set(
            notifications.filter { notification in
                switch ambiguity {
                case .report: false
                case .resendCollapsible: notification.collapseID != nil
                case .resend: true
                }
            }
            .map(\.id)
        )
        // A suspended credential stands still for a second.
        rules.deadline = isRefused ? .seconds(8) : .milliseconds(800)
        rules.connectFloor = .milliseconds(2)
        for call in calls { rules.add(call, canBeFull: waitingCountMax < notifications.count) }
    }

    private static func spell(_ dice: inout SeededDice) -> FaultPlan.Spell {
        switch Int.random(in: 0..<40, using: &dice) {
        case 0: .refusals(count: dice.pick(51, 51, 52))
        case 1: .revocation(after: Int.random(in: 0...40, using: &dice))
        default: .none
        }
    }

    private static func notification(_ dice: inout SeededDice) -> PushNotification {
        let random = (0..<48).map { _ in UInt8.random(in: 0...255, using: &dice) }
        let id = APNSID(randomBytes: Array(random.prefix(16)))
        guard let token = try? DeviceToken(bytes: Array(random.dropFirst(16))),
            let topic = try? Topic("com.example.chat")
        else { preconditionFailure("32 bytes are a device token, and this is a topic") }
        let text = String(repeating: "x", count: Int.random(in: 0...1_000, using: &dice))
        return PushNotification(
            id: id,
            deviceToken: token,
            topic: topic,
            collapseID: dice.isTrue(0.5) ? try? CollapseID("chat") : nil,
            payload: Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
        )
    }

    package var plan: FaultPlan { FaultPlan(seed: seed, faultRate: faultRate, spell: spell) }

    /// Deadlines that end a schedule soon, on `loop`.
    package func configuration(trust: TLSTrust, loop: EventLoop) -> APNSClientConfiguration {
        var configuration = APNSClientConfiguration()
        configuration.trust = trust
        configuration.loop = loop
        let jitter = Double(seed % 1_000) / 1_000
        configuration.jitter = { jitter }
        let (start, speed) = (MonotonicTime.now(), clockSpeed)
        configuration.clock = {
            let seconds = (MonotonicTime.now().nanoseconds - start.nanoseconds) * speed / 1_000_000_000
            return Moment(unixSeconds: 2_000_000_000 + seconds, uptimeSeconds: 1_000 + seconds)
        }
        configuration.waitingCountMax = waitingCountMax
        configuration.connectionCountMax = connectionCountMax
        configuration.connectionAgeMax = connectionAgeMax
        configuration.ambiguity = ambiguity
        configuration.attemptCountMax = rules.attemptCountMax
        configuration.deadline = rules.deadline
        configuration.answerDeadline = .milliseconds(100)
        // A busy machine's slow handshakes are not faults.
        configuration.connectDeadline = .milliseconds(200)
        configuration.pingAfter = .milliseconds(25)
        configuration.pingDeadline = .milliseconds(50)
        configuration.idleDeadline = .milliseconds(50)
        configuration.backoff.floor = rules.connectFloor
        configuration.backoff.ceiling = .milliseconds(30)
        configuration.backoff.burstCount = rules.connectBurstCount
        return configuration
    }
}

extension ProviderSchedule: CustomStringConvertible {
    package var description: String {
        "seed \(seed): \(notifications.count) notifications, faults \(faultRate), \(ambiguity), "
            + "\(connectionCountMax) connections, age \(connectionAgeMax), \(spell), clock \(clockSpeed)"
    }
}
