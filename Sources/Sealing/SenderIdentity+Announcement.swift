public import Envelope
public import Keys

// A new key in the place of this one (docs/protocol.md, section 22).
extension SenderIdentity {
    /// Announces the key that takes this one's place: each device that has this sender as a contact has the new key in its
    /// place once its app took the bytes (`AppDevice.accept`). They are public; any way to the app will do.
    ///
    /// Messages that are sealed under this key are shown for the app's longest lifetime after `date`; seal under the new
    /// one when the devices have the announcement. A key is announced one successor, and not a second.
    ///
    /// - Parameters:
    ///   - successor: kept already: a key that is lost after it was announced is as good as none.
    ///   - topic: the app's bundle id; for another app it is announced again.
    ///   - date: the sender's clock.
    /// - Returns: 203 bytes and the topic's.
    public func announcing(
        successor: borrowing SenderIdentity,
        topic: BundleID,
        at date: Timestamp = .now
    ) -> [UInt8] {
        SenderAnnouncement.succession(of: key, by: successor.key, topic: topic, at: date)
    }

    /// Revokes this key: devices show nothing of it any more once their app took the bytes, whenever it was sealed.
    ///
    /// - Parameters:
    ///   - topic: the app's bundle id.
    ///   - date: the sender's clock.
    /// - Returns: 107 bytes and the topic's.
    public func revocation(topic: BundleID, at date: Timestamp = .now) -> [UInt8] {
        SenderAnnouncement.revocation(of: key, topic: topic, at: date)
    }
}
