import APNS
import DeviceLink
import Envelope

/// Check of a push against its Live Activity token. Both kinds share a topic; only the device tells them apart.
///
/// - Source: "Starting and updating Live Activities with ActivityKit push notifications": a token of
///   `pushToStartTokenUpdates` starts one, one of `pushTokenUpdates` updates and ends it. Discarding others is ours.
enum LiveActivityEvent {
    private static let depthMax = 32

    /// `nil` for an unreadable event, too.
    static func fault(of push: DevicePush, for kind: TokenKind) -> DiscardReason? {
        guard push.pushType == .liveactivity, kind == .liveActivityStart || kind == .liveActivity else { return nil }
        let limits = JSONParser.Limits(byteCountMax: push.payload.count, depthMax: depthMax, allowsFractions: true)
        // `try?`: another check remarks on malformed JSON.
        guard let event = (try? JSONParser.parse(push.payload, limits: limits))?["aps"]?["event"]?.string else {
            return nil
        }
        return (event == "start") == (kind == .liveActivityStart) ? nil : .otherActivityToken
    }
}
