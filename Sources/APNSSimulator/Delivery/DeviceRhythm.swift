import APNS
import DeviceLink
import Envelope

/// Recent background pushes and alerts of an app, for budget and burst limit.
struct DeviceRhythm {
    /// Milliseconds since 1970, oldest first; pruned to the last hour before use.
    private var backgrounds: [Int64] = []
    private var alerts: [Int64] = []

    private static let hour: Int64 = 3_600_000

    mutating func allowsBackground(_ context: inout DeliveryContext) -> Bool {
        let now = context.now
        backgrounds.removeAll { $0 + Self.hour <= now }
        let limit = context.settings.backgroundsPerHour
        return limit == 0 || backgrounds.count < limit
    }

    mutating func noteBackground(at now: Int64) { backgrounds.append(now) }

    func nextBackground(_ settings: DeliverySettings) -> Int64 {
        let limit = settings.backgroundsPerHour
        guard limit > 0, backgrounds.count >= limit else { return .min }
        return backgrounds[backgrounds.count - limit] + Self.hour
    }

    /// - Source: Apple's `UNNotificationInterruptionLevel`: time-sensitive and critical notifications break through.
    mutating func presentation(
        of push: DevicePush,
        _ state: DeviceState,
        _ context: inout DeliveryContext
    ) -> DevicePush.Presentation {
        guard push.pushType == .alert else { return .asAsked }
        if state.contains(.focus), !InterruptionLevel(payload: push.payload).breaksThroughFocus {
            return .passiveForFocus
        }
        let (limit, now) = (context.settings.alertsPerBurst, context.now)
        guard limit > 0 else { return .asAsked }
        let burst = context.settings.alertBurstSeconds * 1000
        alerts.removeAll { $0 + burst <= now }
        guard alerts.count < limit else { return .passiveForBurst }
        alerts.append(now)
        return .asAsked
    }

    /// Time from which all entries are irrelevant.
    func end(_ settings: DeliverySettings) -> Int64 {
        max(
            backgrounds.last.map { $0 + Self.hour } ?? .min,
            alerts.last.map { $0 + settings.alertBurstSeconds * 1000 } ?? .min
        )
    }
}

/// `interruption-level` of a payload.
///
/// - Source: "Generating a remote notification", keys of `aps`; `UNNotificationInterruptionLevel` lets "time-sensitive"
///   and "critical" break through a Focus.
enum InterruptionLevel: String {
    case passive
    case active
    case timeSensitive = "time-sensitive"
    case critical

    var breaksThroughFocus: Bool { self == .timeSensitive || self == .critical }

    /// - Parameter payload: without valid JSON or this key, the level is `.active`.
    init(payload: [UInt8]) {
        let limits = JSONParser.Limits(
            byteCountMax: DevicePush.payloadByteCountMax,
            depthMax: 64,
            allowsFractions: true
        )
        do throws(JSONError) {
            let level = try JSONParser.parse(payload, limits: limits)["aps"]?["interruption-level"]?.string
            self = level.flatMap(InterruptionLevel.init(rawValue:)) ?? .active
        } catch {
            self = .active
        }
    }
}
