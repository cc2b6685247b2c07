import APNS
import DeviceLink
import Envelope

/// The effect of a push on Live Activities: both kinds of tokens have one topic, and only the device knows them apart.
///
/// - Source: "Starting and updating Live Activities with ActivityKit push notifications": a token of
///   `pushToStartTokenUpdates` starts one, and the one of `pushTokenUpdates` updates and ends it. What becomes of others
///   is ours.
enum LiveActivityEvent {
    private static let depthMax = 32

    /// Why the device will do nothing with a push; `nil` where it will, or where its event cannot be read.
    static func fault(of push: DevicePush, for kind: TokenKind) -> DiscardReason? {
        guard push.pushType == .liveactivity, kind == .liveActivityStart || kind == .liveActivity else { return nil }
        let limits = JSONParser.Limits(byteCountMax: push.payload.count, depthMax: depthMax, allowsFractions: true)
        // `try?`: a payload that is no JSON is remarked upon elsewhere.
        guard let event = (try? JSONParser.parse(push.payload, limits: limits))?["aps"]?["event"]?.string else {
            return nil
        }
        return (event == "start") == (kind == .liveActivityStart) ? nil : .otherActivityToken
    }
}
