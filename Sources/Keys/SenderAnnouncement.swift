package import Envelope
package import Primitives

/// Signed statement of a sender that its key is replaced or revoked.
///
/// Layout and order of checks: docs/protocol.md, section 22.
package struct SenderAnnouncement: Equatable, Sendable {
    static let version: UInt8 = 0x01
    private static let successorKind: UInt8 = 1
    private static let revocationKind: UInt8 = 2

    /// Key that is announced about, and signs.
    package let sender: SenderKey
    /// Replacement; nil for a revocation.
    package let successor: SenderKey?
    /// Time by the sender's clock.
    package let announcedAt: Timestamp

    package init(sender: SenderKey, successor: SenderKey?, announcedAt: Timestamp) {
        self.sender = sender
        self.successor = successor
        self.announcedAt = announcedAt
    }

    /// Announces a successor.
    ///
    /// - Parameter successor: signs too, so that a sender cannot claim a foreign key.
    /// - Returns: 203 bytes and the topic's.
    package static func succession(
        of key: borrowing Ed25519PrivateKey,
        by successor: borrowing Ed25519PrivateKey,
        topic: BundleID,
        at announcedAt: Timestamp
    ) -> [UInt8] {
        var bytes = head(successorKind, key.publicKey, topic, announcedAt) + successor.publicKey.rawRepresentation
        bytes += successor.signature(over: signatureInput(bytes[...]))
        return bytes + key.signature(over: signatureInput(bytes[...]))
    }

    /// Announces a revocation.
    ///
    /// - Returns: 107 bytes and the topic's.
    package static func revocation(
        of key: borrowing Ed25519PrivateKey,
        topic: BundleID,
        at announcedAt: Timestamp
    ) -> [UInt8] {
        let bytes = head(revocationKind, key.publicKey, topic, announcedAt)
        return bytes + key.signature(over: signatureInput(bytes[...]))
    }

    private static func head(
        _ kind: UInt8,
        _ key: Ed25519PublicKey,
        _ topic: BundleID,
        _ announcedAt: Timestamp
    ) -> [UInt8] {
        var bytes = [version, kind] + key.rawRepresentation
        bytes.append(bigEndian: min(announcedAt.milliseconds, Timestamp.millisecondsMax))
        bytes.append(lengthPrefixed: topic.bytes)
        return bytes
    }

    private static func signatureInput(_ content: ArraySlice<UInt8>) -> [UInt8] {
        Binding.context(Binding.senderContext) + content
    }
}

// The device's side.
extension SenderAnnouncement {
    /// Reads and verifies: version → kind → structure → TOPIC → signatures → time. The contact list judges the keys.
    package init(verifying bytes: [UInt8], topic: BundleID, now: Timestamp) throws(SenderAnnouncementError) {
        var reader = ByteReader(bytes[...])
        guard let version = reader.take(UInt8.self) else { throw .malformed }
        guard version == Self.version else { throw .unsupported }
        guard let kind = reader.take(UInt8.self) else { throw .malformed }
        guard kind == Self.successorKind || kind == Self.revocationKind else { throw .unsupported }
        let sender = try Self.key(&reader)
        guard let announcedAt = reader.take(UInt64.self), announcedAt <= Timestamp.millisecondsMax,
            let topicBytes = reader.takeLengthPrefixed()
        else { throw .malformed }
        var successor: (key: SenderKey, signedByteCount: Int, signature: [UInt8])?
        if kind == Self.successorKind {
            let key = try Self.key(&reader)
            let signedByteCount = bytes.count - reader.remainingByteCount
            guard key != sender, let signature = reader.take(Ed25519PublicKey.signatureByteCount) else {
                throw .malformed
            }
            successor = (key, signedByteCount, signature)
        }
        let signedByteCount = bytes.count - reader.remainingByteCount
        guard let signature = reader.take(Ed25519PublicKey.signatureByteCount), reader.remainingByteCount == 0 else {
            throw .malformed
        }
        guard topicBytes == topic.bytes else { throw .otherTopic }
        let input = Self.signatureInput(bytes[..<signedByteCount])
        guard sender.key.isValid(signature: signature, over: input) else { throw .badSignature }
        if let successor {
            let input = Self.signatureInput(bytes[..<successor.signedByteCount])
            guard successor.key.key.isValid(signature: successor.signature, over: input) else { throw .badSignature }
        }
        self.sender = sender
        self.successor = successor?.key
        self.announcedAt = Timestamp(milliseconds: announcedAt)
        guard self.announcedAt <= now.advanced(by: KeyBundle.clockSkewMax) else { throw .notYet }
    }

    private static func key(_ reader: inout ByteReader) throws(SenderAnnouncementError) -> SenderKey {
        guard let bytes = reader.take(Ed25519PublicKey.byteCount) else { throw .malformed }
        do {
            return try SenderKey(rawRepresentation: bytes)
        } catch {
            throw .malformed
        }
    }
}

/// Reason to refuse a sender's announcement, in the order of checks of docs/protocol.md.
public enum SenderAnnouncementError: Error, Equatable {
    /// Newer version or kind.
    case unsupported
    /// Not an announcement's bytes.
    case malformed
    /// Announcement for another app.
    case otherTopic
    /// Bad signature of the old key or of its successor.
    case badSignature
    /// Dated in the future by clock error. Retry later.
    case notYet
    /// The key was revoked, or the successor revoked or replaced before. Old announcements revive no key.
    case givenUp
    /// The key has announced another successor: two parties may hold it. Ask its sender by the app's own channel.
    case otherSuccessor
}
