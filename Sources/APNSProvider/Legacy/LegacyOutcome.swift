package import APNS
package import Transport

/// Result of one notification on the binary interface.
package enum LegacyOutcome: Sendable, Equatable {
    /// Accepted, as a later packet proves.
    case accepted
    /// Written, and the connection ended in order. `.simple` allows no more knowledge.
    case written
    /// Named by APNs' error packet.
    case refused(LegacyStatus)
    /// Never written: the layout cannot carry it.
    case notSendable(LegacyNotification.Fault)
    /// Written, and the connection ended without a packet: APNs may have accepted it, and a resend may show it twice.
    case unknown(LegacyFailure)
    /// Not written, or certainly discarded.
    case notSent(LegacyFailure)
}

/// Reason for a missing or lost connection.
package enum LegacyFailure: Error, Sendable, Equatable {
    /// `.connectionClosed` if it ended in order, but too early.
    case connection(TransportError)
    /// The data is no error packet.
    case malformedPacket
    /// The packet names a notification that this connection did not send.
    case identifierUnknown
    /// Limit of a batch: APNs treated quick reconnects as an attack.
    case tooManyConnections(countMax: Int)
    /// The feedback list exceeded its limit; the rest is lost.
    case tooManyTuples(countMax: Int)
    /// The feedback data is not tuples.
    case malformedFeedback(FeedbackReader.Fault)
}
