package import APNS

/// A request about channels that APNs would refuse, and how.
package struct ChannelRejected: Error, Equatable, Sendable {
    package let reason: BroadcastReason

    init(_ reason: BroadcastReason) { self.reason = reason }

    /// What refused the request's credential, in the words of the other table. Reasons that only pushes to devices have, such
    /// as UnrelatedKeyIdInToken, become the one that Apple's table for broadcasts has for a token that does not fit.
    init(_ rejected: Rejected) {
        reason = BroadcastReason(rawValue: rejected.reason.rawValue) ?? .invalidProviderToken
    }

    /// The answer's body.
    package var json: [UInt8] { Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8) }
}
