public import Envelope
public import Keys

// Succession and revocation of this key (docs/protocol.md, section 22).
extension SenderIdentity {
    /// Announces the successor of this key, for each device that has this sender as a contact.
    ///
    /// The device's app replaces the key when it accepts the bytes (`AppDevice.accept`). They are public, so any
    /// channel will do. Messages sealed under the old key are shown for the app's longest lifetime after `date`; seal
    /// under the new one once the devices have the announcement. Never announce a second successor.
    ///
    /// - Parameters:
    ///   - successor: already stored: losing it after the announcement leaves the sender without a key.
    ///   - topic: the app's bundle id; each app needs its own announcement.
    /// - Returns: 203 bytes and the topic's.
    public func announcing(
        successor: borrowing SenderIdentity,
        topic: BundleID,
        at date: Timestamp = .now
    ) -> [UInt8] {
        SenderAnnouncement.succession(of: key, by: successor.key, topic: topic, at: date)
    }

    /// Revokes this key: once a device's app accepts the bytes, it shows nothing under the key, whenever sealed.
    ///
    /// - Parameters:
    ///   - topic: the app's bundle id.
    /// - Returns: 107 bytes and the topic's.
    public func revocation(topic: BundleID, at date: Timestamp = .now) -> [UInt8] {
        SenderAnnouncement.revocation(of: key, topic: topic, at: date)
    }
}
