public import Envelope
public import Keys

// Succession and revocation of this key (docs/protocol.md, section 22).
extension SenderIdentity {
    /// Announces the successor of this key. The device's app replaces the key when it accepts the bytes
    /// (`AppDevice.accept`); they are public.
    ///
    /// Messages under the old key are shown for the app's longest lifetime after `date`; seal under the new one once
    /// the devices have the announcement. Never announce a second successor.
    ///
    /// - Parameters:
    ///   - successor: already stored, as losing it leaves the sender without a key.
    ///   - topic: each app needs its own announcement.
    ///   - date: sender's clock.
    /// - Returns: 203 bytes and the topic's.
    public func announcing(
        successor: borrowing SenderIdentity,
        topic: BundleID,
        at date: Timestamp = .now
    ) -> [UInt8] {
        SenderAnnouncement.succession(of: key, by: successor.key, topic: topic, at: date)
    }

    /// Revokes this key: devices that accept the bytes show nothing under it, whenever it was sealed.
    ///
    /// - Returns: 107 bytes and the topic's.
    public func revocation(topic: BundleID, at date: Timestamp = .now) -> [UInt8] {
        SenderAnnouncement.revocation(of: key, topic: topic, at: date)
    }
}
