/// Whom the simulator lets in again: APNs regards connections that are opened and closed in quick succession as a denial
/// of service. A value: the clock is the caller's, and memory is bounded.
///
/// - Source: "Sending notification requests to APNs"; how many are too many, Apple does not say.
struct ReconnectGate {
    /// More addresses at once are not told apart: whoever comes last is let in.
    static let addressCountMax = 10_000

    private var countMax: Int
    private var windowSeconds: Int64
    /// When each address was let in, oldest first, at most `countMax` of them.
    private var admissions: [String: [Int64]] = [:]

    init(_ rules: ConnectionRules) {
        countMax = rules.reconnectCountMax
        windowSeconds = Int64(rules.reconnectWindowSeconds)
    }

    mutating func adopt(_ rules: ConnectionRules) {
        countMax = rules.reconnectCountMax
        windowSeconds = Int64(rules.reconnectWindowSeconds)
    }

    /// Somebody connects. A refusal does not count: who waits for the window's length is let in.
    ///
    /// - Parameters:
    ///   - address: without the port.
    ///   - now: seconds, of a clock that the window is measured by.
    /// - Returns: whether the connection may stay.
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

    /// A clock that was set back lets everybody in again.
    private func isRecent(_ admittedAt: Int64, _ now: Int64) -> Bool {
        admittedAt <= now && now - admittedAt < windowSeconds
    }
}
