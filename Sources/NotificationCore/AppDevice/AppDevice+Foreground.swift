public import Envelope
public import Keys
import Opening

// An app that runs has messages from two sides: its own connection, and pushes that its extension takes. Each message is
// shown by whoever claims it first; nothing is locked between the two.
extension AppDevice {
    /// Says that this app takes messages itself from now on. It matters to an extension whose policy is `.leaveToApp`: that
    /// one then keeps messages for `openSpooled`, which the app calls whenever a push comes in.
    ///
    /// Say it again before the time is over, and `stopTakingMessages` when the app leaves the foreground. A crash or a jump
    /// of the clock makes up to 35 seconds of it, never more.
    ///
    /// - Parameters:
    ///   - duration: at most 30 seconds, which is the default.
    ///   - now: the device's clock.
    /// - Throws: `.locked`, `.storageFull`, `.system`; the extension then shows messages as always.
    public func takeMessages(
        for duration: Duration = .seconds(30),
        now: Timestamp = .now
    ) throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.foregroundLease.take(for: duration, now: now) }
    }

    /// The extension takes messages again.
    ///
    /// - Throws: `AppDeviceError`; then it does so within 35 seconds all the same.
    public func stopTakingMessages() throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.foregroundLease.release() }
    }

    /// Says that the app is about to show a message that came over its own connection. The extension then takes the same
    /// message for a replay.
    ///
    /// - Parameters:
    ///   - id: of the message.
    ///   - sender: whose signature it carries. It was verified: with an id that nobody signed, a stranger could use up the
    ///     ids of a contact.
    ///   - sentAt: as signed.
    ///   - expiresAt: as signed.
    /// - Returns: whether to show it; false where the extension has shown it, or is at it, or where it is too old to tell.
    /// - Throws: `AppDeviceError`; then nothing was recorded.
    public func markHandled(
        _ id: MessageID,
        from sender: SenderKey,
        sentAt: Timestamp,
        expiresAt: Timestamp
    ) throws(AppDeviceError) -> Bool {
        let stamp = MessageStamp(
            sender: sender,
            messageID: id.rawRepresentation,
            sentAt: sentAt,
            expiresAt: expiresAt
        )
        return try translated { () throws(ReplayWindowError) in
            switch try window.claim(stamp) {
            case .new(let claim), .reclaimed(let claim):
                try window.commit(claim)
                return true
            case .replay, .tooOld: return false
            }
        }
    }
}
