package import APNS

package struct ChannelError: Error, Equatable, Sendable {
    package let reason: BroadcastReason

    init(_ reason: BroadcastReason) { self.reason = reason }

    /// Reasons of device pushes alone, such as UnrelatedKeyIdInToken, become InvalidProviderToken.
    init(_ rejected: RequestRejection) {
        reason = BroadcastReason(rawValue: rejected.reason.rawValue) ?? .invalidProviderToken
    }

    package var json: [UInt8] { Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8) }
}
