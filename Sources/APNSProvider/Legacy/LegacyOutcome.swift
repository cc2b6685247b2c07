package import APNS
package import Transport

/// What became of one notification on the binary interface.
package enum LegacyOutcome: Sendable, Equatable {
    /// APNs took it: a later packet proves it.
    case accepted
    /// Written, and the connection ended in order. With `.simple` nothing more can be known.
    case written
    /// APNs named it as the mistake.
    case refused(LegacyStatus)
    /// Never written: the layout cannot carry it.
    case notSendable(LegacyNotification.Fault)
    /// Written, and the connection ended without a word: APNs may have taken it. Sending it again may show it twice.
    case unknown(LegacyFailure)
    /// Not written, or certainly discarded.
    case notSent(LegacyFailure)
}

/// Why there was no connection, or none any more.
package enum LegacyFailure: Error, Sendable, Equatable {
    /// `.connectionClosed` for one that ended in order, and too early.
    case connection(TransportError)
    /// What came was no error packet.
    case malformedPacket
    /// The packet names a notification that was not sent on this connection.
    case identifierUnknown
    /// So many connections for one batch: APNs took quick reconnects for an attack.
    case tooManyConnections(countMax: Int)
    /// The feedback list was longer than was allowed; the rest of it is lost.
    case tooManyTuples(countMax: Int)
    /// Bytes of the feedback service that are no tuples.
    case malformedFeedback(FeedbackReader.Fault)
}
