import APNS
import PushStore

/// Effects of answers until on disk. Bounded: the next push repeats what does not fit.
struct DeviceEffects {
    enum Effect {
        case unregister(Unregistration)
        case setAside(DeviceToken, APNSEnvironment, TenantID)
    }

    private static let countMax = 10_000
    private var waiting: [Effect] = []
    private var isUnderWay = false
    /// Pause after a failed write.
    private var pausedUntil = Int64.min

    var isEmpty: Bool { waiting.isEmpty && !isUnderWay }

    mutating func add(_ effect: Effect) {
        if waiting.count < Self.countMax { waiting.append(effect) }
    }

    /// Takes all; nil while a write is under way or paused.
    mutating func take(now: Int64) -> [Effect]? {
        guard !isUnderWay, !waiting.isEmpty, now >= pausedUntil else { return nil }
        isUnderWay = true
        defer { waiting = [] }
        return waiting
    }

    mutating func didEnd(_ failed: [Effect], now: Int64) {
        isUnderWay = false
        guard !failed.isEmpty else { return }
        pausedUntil = now &+ 1_000_000_000
        waiting = Array((failed + waiting).prefix(Self.countMax))
    }
}

/// Tokens first accepted by APNs, not yet on disk. Bounded likewise.
struct ReachedTokens {
    static let countMax = 2_000
    private var tokens: Set<ReachedToken> = []

    mutating func add(_ token: ReachedToken) { if tokens.count < Self.countMax { tokens.insert(token) } }

    mutating func take() -> [ReachedToken] {
        defer { tokens = [] }
        return Array(tokens)
    }
}
