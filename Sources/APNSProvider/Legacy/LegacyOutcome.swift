package import APNS
package import Networking

package enum LegacyOutcome: Sendable, Equatable {
    /// Accepted, as a later packet proves.
    case accepted
    /// Written, and the connection ended in order.
    case written
    /// Named by APNs' error packet.
    case refused(LegacyStatus)
    /// Never written: the layout cannot carry it.
    case notSendable(LegacyNotificationError)
    /// Written, and the connection ended without a packet: a resend may show it twice.
    case unknown(LegacyError)
    /// Not written, or certainly discarded.
    case notSent(LegacyError)
}

package enum LegacyError: Error, Sendable, Equatable {
    /// `.connectionClosed` if it ended in order, but too early.
    case connection(TransportError)
    case malformedPacket
    case identifierUnknown
    /// Limit of a batch: APNs treated quick reconnects as an attack.
    case tooManyConnections(countMax: Int)
    case tooManyTuples(countMax: Int)
    case malformedFeedback(FeedbackError)
}
