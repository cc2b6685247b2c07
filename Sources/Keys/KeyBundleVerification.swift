public import Envelope
internal import Primitives

extension KeyBundle {
    /// Reads and checks a bundle that a stranger handed over. There is no way to a bundle that skips a check.
    ///
    /// - Parameters:
    ///   - bytes: exactly one bundle.
    ///   - identity: pinned through the app's own channel; the bundle proves nothing about whose it is.
    ///   - topic: the app that the sender means.
    ///   - now: the sender's clock.
    /// - Throws: `KeyBundleError`, in the order of docs/protocol.md.
    package init(
        verifying bytes: [UInt8],
        pinnedIdentity identity: IdentityKey,
        topic: BundleID,
        now: Timestamp
    ) throws(KeyBundleError) {
        var reader = ByteReader(bytes[...])
        let bundle = try Self.read(&reader, identity: identity, topic: topic)
        let signedByteCount = bytes.count - reader.remainingByteCount
        guard let signature = reader.take(Ed25519PublicKey.signatureByteCount), reader.remainingByteCount == 0 else {
            throw .malformed
        }
        let input = Self.signatureInput(Array(bytes[..<signedByteCount]))
        guard identity.key.isValid(signature: signature, over: input) else { throw .badSignature }
        guard Self.canHold(bundle.entries.map(\.prekey)), bundle.issuedAt.milliseconds <= Timestamp.millisecondsMax
        else { throw .malformed }
        for entry in bundle.entries { try Self.checkTimes(of: entry, now: now) }
        guard !bundle.entries.contains(where: \.prekey.key.isLowOrder) else { throw .lowOrderPrekey }
        self = bundle.value
    }

    private struct Unverified {
        let identity: IdentityKey
        let epoch: UInt64
        let issuedAt: Timestamp
        let topic: BundleID
        let entries: [Entry]

        /// Only for entries whose order was checked.
        var value: KeyBundle {
            KeyBundle(identity: identity, epoch: epoch, issuedAt: issuedAt, topic: topic, entries: entries)
        }
    }

    private static func read(
        _ reader: inout ByteReader,
        identity: IdentityKey,
        topic: BundleID
    ) throws(KeyBundleError) -> Unverified {
        guard let version = reader.take(UInt8.self) else { throw .malformed }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        guard let identityBytes = reader.take(Ed25519PublicKey.byteCount) else { throw .malformed }
        guard identityBytes == identity.rawRepresentation else { throw .otherIdentity }
        guard let epoch = reader.take(UInt64.self), let issuedAt = reader.take(UInt64.self),
            let topicBytes = reader.takeLengthPrefixed()
        else { throw .malformed }
        guard topicBytes == topic.bytes else { throw .otherTopic }
        guard let count = reader.take(UInt8.self), (1...entryCountMax).contains(Int(count)) else { throw .malformed }
        var entries: [Entry] = []
        for _ in 0..<count { entries.append(try readEntry(&reader)) }
        return Unverified(
            identity: identity,
            epoch: epoch,
            issuedAt: Timestamp(milliseconds: issuedAt),
            topic: topic,
            entries: entries
        )
    }

    private static func readEntry(_ reader: inout ByteReader) throws(KeyBundleError) -> Entry {
        guard let suiteByte = reader.take(UInt8.self), let classByte = reader.take(UInt8.self),
            let protectionClass = ProtectionClass(rawValue: classByte)
        else { throw .malformed }
        guard let suite = Suite(rawValue: suiteByte) else { throw .unsupportedSuite(suiteByte) }
        guard let notBefore = reader.take(UInt64.self), let notAfter = reader.take(UInt64.self),
            let keyBytes = reader.take(suite.publicKeyByteCount)
        else { throw .malformed }
        let key: X25519PublicKey
        do {
            key = try X25519PublicKey(rawRepresentation: keyBytes)
        } catch {
            throw .malformed
        }
        return Entry(
            prekey: PublicPrekey(suite: suite, protectionClass: protectionClass, key: key),
            notBefore: Timestamp(milliseconds: notBefore),
            notAfter: Timestamp(milliseconds: notAfter)
        )
    }

    private static func checkTimes(of entry: Entry, now: Timestamp) throws(KeyBundleError) {
        guard entry.notAfter.milliseconds <= Timestamp.millisecondsMax, entry.notBefore <= entry.notAfter,
            entry.notAfter <= entry.notBefore.advanced(by: validityMax)
        else { throw .validityTooLong }
        guard entry.notBefore <= now.advanced(by: clockSkewMax) else { throw .notYetValid(from: entry.notBefore) }
        guard now <= entry.notAfter else { throw .expired(at: entry.notAfter) }
    }
}

/// Why a bundle is refused.
public enum KeyBundleError: Error, Equatable {
    /// Not the bytes of a bundle.
    case malformed
    /// A version from the future.
    case unsupportedVersion(UInt8)
    /// A cipher suite from the future.
    case unsupportedSuite(UInt8)
    /// Signed by another identity than the pinned one: a key change, or somebody in between. Never accept it silently.
    case otherIdentity
    /// Made for another app.
    case otherTopic
    /// Not signed by the identity it names.
    case badSignature
    /// A validity of more than 60 days, or one that ends before it begins.
    case validityTooLong
    /// The sender's clock is behind, or the device's ahead.
    case notYetValid(from: Timestamp)
    /// The app has not run for so long that its keys ran out.
    case expired(at: Timestamp)
    /// A prekey that would give no secrecy.
    case lowOrderPrekey
}
