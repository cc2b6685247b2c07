public import Envelope
public import Keys
import Opening

// A running app gets messages by its own connection and by its extension. The first claim shows one; no lock is shared.
extension AppDevice {
    /// Leaves messages to this app if the extension's policy is `.leaveToApp`: it keeps them for `openSpooled`, to be
    /// called when a push arrives.
    ///
    /// Renew it in time, and call `stopTakingMessages` on leaving the foreground. A crash or clock jump ends it within
    /// 35 seconds.
    ///
    /// - Parameters:
    ///   - duration: at most 30 seconds.
    ///   - now: device's clock.
    /// - Throws: `.locked`, `.storageFull`, `.system`; the extension then shows messages as usual.
    public func takeMessages(
        for duration: Duration = .seconds(30),
        now: Timestamp = .now
    ) throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.foregroundLease.take(for: duration, now: now) }
    }

    /// Returns messages to the extension; on failure it gets them within 35 seconds.
    public func stopTakingMessages() throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.foregroundLease.release() }
    }

    /// Claims a message of the app's own connection before the app shows it, so that the extension takes it for a
    /// replay.
    ///
    /// - Parameters:
    ///   - id: the message's.
    ///   - sender: verified signer; unverified, a stranger could use up a contact's ids.
    ///   - sentAt: signed by the sender.
    ///   - expiresAt: signed by the sender.
    /// - Returns: false if the extension shows it, or if it is too old to tell.
    /// - Throws: `AppDeviceError`; nothing was recorded.
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
