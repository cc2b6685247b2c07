import Envelope
import Primitives

/// Signed-in browsers, in memory: a restart ends them. A value.
struct DashboardSessions {
    static let countMax = 1_024
    /// Beyond it a key's oldest session ends.
    static let countMaxOfKey = 16
    static let seconds: Int64 = 12 * 3_600
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Hash of a cookie's secret: a look-up's time tells nothing of the secret.
    struct ID: Hashable, Sendable {
        private let bytes: [UInt8]

        init(of secret: String) { bytes = SHA256.hash(Array(secret.utf8)) }
    }

    private struct Session {
        let key: APIKeyHash
        let end: Int64
    }

    private var sessions: [ID: Session] = [:]

    var count: Int { sessions.count }

    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: cookie's secret, 43 characters; nil if there are too many sessions.
    mutating func begin(_ key: APIKeyHash, now: Int64, random: inout some RandomSource) -> String? {
        sessions = sessions.filter { $0.value.end > now }
        let own = sessions.filter { $0.value.key == key }
        if own.count >= Self.countMaxOfKey, let oldest = own.min(by: { $0.value.end < $1.value.end }) {
            sessions[oldest.key] = nil
        }
        guard sessions.count < Self.countMax else { return nil }
        let secret = Base64URL.string(random.bytes(count: 32))
        sessions[ID(of: secret)] = Session(key: key, end: now + Self.seconds * Self.nanosecondsPerSecond)
        return secret
    }

    func key(of id: ID, now: Int64) -> APIKeyHash? {
        sessions[id].flatMap { $0.end > now ? $0.key : nil }
    }

    /// Whole seconds until its end.
    func secondsLeft(of id: ID, now: Int64) -> Int64 {
        sessions[id].map { max(0, ($0.end - now) / Self.nanosecondsPerSecond) } ?? 0
    }

    mutating func end(_ id: ID) { sessions[id] = nil }
}
