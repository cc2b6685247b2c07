package import Envelope
package import Primitives

/// What a sender says of its own key, under that key: that another takes its place, or that it is over.
///
/// Layout and order of checks: docs/protocol.md, section 22.
package struct SenderAnnouncement: Equatable, Sendable {
    static let version: UInt8 = 0x01
    private static let successorKind: UInt8 = 1
    private static let revocationKind: UInt8 = 2

    /// The key that it is about, and is signed by.
    package let sender: SenderKey
    /// The key in its place; nil for a revocation.
    package let successor: SenderKey?
    /// By the sender's clock.
    package let announcedAt: Timestamp

    /// What a verified announcement says.
    package init(sender: SenderKey, successor: SenderKey?, announcedAt: Timestamp) {
        self.sender = sender
        self.successor = successor
        self.announcedAt = announcedAt
    }

    /// - Parameters:
    ///   - key: the sender's.
    ///   - successor: signs too, so that nobody announces a key of somebody else's as an own one.
    ///   - topic: the app's bundle id.
    ///   - announcedAt: the sender's clock.
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

    /// - Parameters:
    ///   - key: the sender's.
    ///   - topic: the app's bundle id.
    ///   - announcedAt: the sender's clock.
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
    /// Reads and verifies: version → kind → structure → TOPIC → signatures → time. What the device knows of the keys is
    /// the contact list's to judge.
    ///
    /// - Parameters:
    ///   - bytes: exactly one announcement, from anybody.
    ///   - topic: the app's bundle id.
    ///   - now: the device's clock.
    /// - Throws: `SenderAnnouncementError`.
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

/// Why a sender's announcement is refused. In the order of the checks, which is that of docs/protocol.md.
public enum SenderAnnouncementError: Error, Equatable {
    /// Made by a newer version.
    case unsupported
    /// Not the bytes of an announcement.
    case malformed
    /// Made for another app.
    case otherTopic
    /// Not signed by the key that it is about, or not by the one that it announces.
    case badSignature
    /// Its time is to come: the sender's clock is ahead, or this one behind. Try it again later.
    case notYet
    /// The key was revoked, or the announced one was revoked or replaced before. Old announcements bring no key back.
    case givenUp
    /// The key announced another successor before. It may be in two hands: the app asks its sender by its own channel.
    case otherSuccessor
}
