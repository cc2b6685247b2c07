import APNS
import DeviceLink
import Envelope

extension LegacyNotification {
    private static let depthMax = 32

    /// True if the notification wakes the app but shows nothing.
    ///
    /// - Source: archived "Binary Provider API", on priority 10: "It is an error to use this priority for a push that
    ///   contains only the content-available key."
    var isContentAvailableOnly: Bool {
        let limits = JSONParser.Limits(byteCountMax: payload.count, depthMax: Self.depthMax, allowsFractions: true)
        // `try?`: the interface has no status for malformed JSON.
        guard let aps = (try? JSONParser.parse(payload, limits: limits))?["aps"] else { return false }
        return aps["content-available"]?.content == .integer(1) && aps["alert"] == nil && aps["badge"] == nil
            && aps["sound"] == nil
    }

    func expiration(_ command: LegacyCommand) -> Expiration? {
        command == .simple ? nil : Expiration(unixSeconds: UInt64(expiresAt))
    }

    /// An expiry of 0 asks for one attempt.
    func isExpired(_ command: LegacyCommand, at now: Int64) -> Bool {
        command != .simple && expiresAt != 0 && Int64(expiresAt) <= now
    }

    func push(_ id: APNSID, topic: Topic, _ command: LegacyCommand) -> DevicePush {
        DevicePush(
            id: id,
            topic: topic,
            pushType: isContentAvailableOnly ? .background : .alert,
            priority: priority,
            expiration: expiration(command),
            collapseID: nil,
            payload: payload
        )
    }
}
