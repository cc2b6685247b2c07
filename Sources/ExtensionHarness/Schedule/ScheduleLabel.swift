/// One condition of a schedule's step, in words, as the key of a histogram.
public struct ScheduleLabel: Sendable, Hashable, CustomStringConvertible {
    /// Condition, such as "lock".
    public let condition: String
    /// Its value, such as "locked".
    public let value: String

    /// Condition and value.
    public var description: String { "\(condition) \(value)" }
}

extension DeviceSchedule.Step {
    /// All random conditions of this step, always in the same order.
    public var labels: [ScheduleLabel] {
        [
            ("lock", conditions.lock.words), ("storage", conditions.storage.words), ("alerts", "\(conditions.alerts)"),
            ("mute switch", conditions.isMuted ? "on" : "off"), ("focus", conditions.focus == .off ? "off" : "on"),
            ("app", conditions.app == .inBackground ? "in the background" : "in front"),
            ("entitlement to filter", conditions.entitlements.contains(.filtering) ? "yes" : "no"),
            ("extension", conditions.startsExtensions ? "starts" : "does not start"),
            ("process", "\(conditions.process)"), ("delivery", conditions.repetition.words),
            ("arrival", pushIndices.count == 1 ? "alone" : "with others"), ("expiry", conditions.expiry.words),
            ("memory", "\(conditions.memoryLimit.byteCount >> 20) MB"),
            ("attachment server", conditions.attachmentServer.words),
            ("meanwhile", conditions.changes.isEmpty ? "nothing changes" : "something changes"),
        ]
        .map { ScheduleLabel(condition: $0, value: $1) }
    }
}

extension Device.Lock {
    fileprivate var words: String {
        switch self {
        case .beforeFirstUnlock: "before first unlock"
        case .locked: "locked"
        case .unlocked: "unlocked"
        }
    }
}

extension Device.Storage {
    fileprivate var words: String {
        switch self {
        case .writable: "writable"
        case .full: "full"
        case .readOnly: "read-only"
        }
    }
}

extension Device.Repetition {
    fileprivate var words: String {
        switch self {
        case .once: "once"
        case .twice: "twice"
        case .twiceAtOnce: "twice at once"
        }
    }
}

extension Device.Expiry {
    fileprivate var words: String {
        switch self {
        case .onTime: "on time"
        case .early: "early"
        case .late: "late"
        case .never: "never"
        case .twice: "twice"
        }
    }
}

extension Device.AttachmentServer {
    fileprivate var words: String {
        switch self {
        case .prompt: "prompt"
        case .slow: "slow"
        case .stalled: "stalled"
        case .truncated: "truncates"
        case .lying: "lies"
        }
    }
}
