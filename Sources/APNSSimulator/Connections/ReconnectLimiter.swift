/// Limiter of reconnections: APNs treats quick ones as denial of service. A value, of bounded memory.
///
/// - Source: "Sending notification requests to APNs"; Apple publishes no number.
struct ReconnectLimiter {
    /// Further addresses are admitted.
    static let addressCountMax = 10_000

    private var countMax: Int
    private var windowSeconds: Int64
    /// Oldest first, at most `countMax` of an address.
    private var admissions: [String: [Int64]] = [:]

    init(_ rules: ConnectionRules) {
        countMax = rules.reconnectCountMax
        windowSeconds = Int64(rules.reconnectWindowSeconds)
    }

    mutating func adopt(_ rules: ConnectionRules) {
        countMax = rules.reconnectCountMax
        windowSeconds = Int64(rules.reconnectWindowSeconds)
    }

    /// Admits or refuses a connection. Refusals do not count: waiting for the window suffices.
    ///
    /// - Parameter address: without the port.
    mutating func admit(_ address: String, now: Int64) -> Bool {
        guard countMax > 0 else { return true }
        if admissions.count >= Self.addressCountMax, admissions[address] == nil {
            admissions = admissions.filter { $0.value.contains { isRecent($0, now) } }
            guard admissions.count < Self.addressCountMax else { return true }
        }
        let recent = admissions[address, default: []].filter { isRecent($0, now) }
        let isAdmitted = recent.count < countMax
        admissions[address] = isAdmitted ? recent + [now] : recent
        return isAdmitted
    }

    /// Ignores future times: after the clock is set back, all are admitted.
    private func isRecent(_ admittedAt: Int64, _ now: Int64) -> Bool {
        admittedAt <= now && now - admittedAt < windowSeconds
    }
}
