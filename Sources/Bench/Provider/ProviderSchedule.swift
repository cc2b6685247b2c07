package import APNS
package import APNSProvider
package import APNSSimulator
package import Transport

/// One run, made from a seed: the server's faults, the client's settings, and what is sent.
package struct ProviderSchedule: Sendable {
    package let seed: UInt64
    package let faultRate: Double
    package let notifications: [PushNotification]
    /// Cancelled while they are on their way.
    package let cancelled: Set<APNSID>
    package private(set) var rules = ProviderScheduleJudge.Rules()
    private let ambiguity: APNSClientConfiguration.AmbiguityPolicy
    private let connectionCountMax: Int
    private let connectionAgeMax: Duration

    package init(seed: UInt64) {
        var dice = SeededDice(seed: seed &* 0x9E37_79B9 &+ 1)
        self.seed = seed
        faultRate = dice.pick(0.02, 0.05, 0.05, 0.2, 0.5)
        ambiguity = dice.pick(.report, .resendCollapsible, .resend)
        connectionCountMax = dice.pick(1, 2, 4)
        connectionAgeMax = dice.pick(.seconds(3600), .seconds(3600), .milliseconds(20))
        notifications = (0..<Int.random(in: 20...60, using: &dice)).map { _ in Self.notification(&dice) }
        cancelled = Set(notifications.map(\.id).filter { _ in dice.isTrue(0.02) })
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
        rules.deadline = .milliseconds(800)
        rules.connectFloor = .milliseconds(2)
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

    package var plan: FaultPlan { FaultPlan(seed: seed, faultRate: faultRate) }

    /// Deadlines that end a schedule soon, on `loop`.
    package func configuration(trust: TLSTrust, loop: EventLoop) -> APNSClientConfiguration {
        var configuration = APNSClientConfiguration()
        configuration.trust = trust
        configuration.loop = loop
        let jitter = Double(seed % 1_000) / 1_000
        configuration.jitter = { jitter }
        configuration.connectionCountMax = connectionCountMax
        configuration.connectionAgeMax = connectionAgeMax
        configuration.ambiguity = ambiguity
        configuration.attemptCountMax = rules.attemptCountMax
        configuration.deadline = rules.deadline
        configuration.answerDeadline = .milliseconds(100)
        // A busy machine's handshakes are no faults.
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
            + "\(connectionCountMax) connections, age \(connectionAgeMax)"
    }
}
