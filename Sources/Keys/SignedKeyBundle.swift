package import Envelope
private import Primitives

/// Bundle signed by the pinned identity, not yet checked against pin and clock. In two steps, the costly signature is
/// verified before a pin store is locked.
package struct SignedKeyBundle: Sendable {
    private let bundle: KeyBundle
    /// SHA-256 of all bytes.
    private let digest: [UInt8]
    /// Found out once: it costs a key agreement for every entry.
    private let hasLowOrderKey: Bool

    /// Bundle count of the device, as a rule milliseconds since 1970.
    package var epoch: UInt64 { bundle.epoch }

    /// First step: length → version → IK == pinned → TOPIC → suites and classes → signature → order.
    ///
    /// - Parameter identity: pinned through the app's own channel; the bundle does not prove its owner.
    /// - Throws: `KeyBundleError`; `.malformed` if the bytes end before a check.
    package init(
        _ bytes: [UInt8],
        pinnedIdentity identity: IdentityKey,
        topic: BundleID
    ) throws(KeyBundleError) {
        guard bytes.count <= KeyBundle.byteCountMax else { throw .malformed }
        var reader = ByteReader(bytes[...])
        let content = try Content(&reader, identity: identity, topic: topic)
        let signedByteCount = bytes.count - reader.remainingByteCount
        guard let signature = reader.take(Ed25519PublicKey.signatureByteCount), reader.remainingByteCount == 0 else {
            throw .malformed
        }
        let input = KeyBundle.signatureInput(Array(bytes[..<signedByteCount]))
        guard identity.key.isValid(signature: signature, over: input) else { throw .badSignature }
        guard KeyBundle.canHold(content.entries.map(\.prekey)),
            content.issuedAt.milliseconds <= Timestamp.millisecondsMax
        else { throw .malformed }
        bundle = KeyBundle(
            identity: identity,
            epoch: content.epoch,
            issuedAt: content.issuedAt,
            topic: topic,
            entries: content.entries
        )
        digest = SHA256.hash(bytes)
        hasLowOrderKey = content.entries.contains(where: \.prekey.key.isLowOrder)
    }

    /// Second step: no future epoch → pinned epoch, hash, suites → validity of every entry → no low-order key.
    ///
    /// Otherwise the better suite's entry could expire first, and the weaker be used undecided.
    package func checked(against pin: BundlePin?, now: Timestamp) throws(KeyBundleError) -> KeyBundle {
        // First: a thief of the identity must not lock its owner out with a future epoch.
        let latest = now.advanced(by: KeyBundle.clockSkewMax)
        guard bundle.epoch <= latest.milliseconds else {
            throw .notYetValid(from: Timestamp(milliseconds: bundle.epoch))
        }
        if let pin { try check(against: pin) }
        for entry in bundle.entries { try Self.checkTimes(of: entry, now: now) }
        guard !hasLowOrderKey else { throw .lowOrderPrekey }
        return bundle
    }

    /// Pin to keep after both steps.
    ///
    /// - Parameter fetchedAt: by the sender's clock; later than `now` counts as `now`.
    package func pin(replacing pin: BundlePin?, fetchedAt: Timestamp, now: Timestamp) -> BundlePin {
        var fetchedAt = min(fetchedAt, now)
        // An older copy of the same bytes does not make them older; a future time is a clock error.
        if let pin, pin.digest == digest, pin.fetchedAt <= now { fetchedAt = max(fetchedAt, pin.fetchedAt) }
        return BundlePin(
            epoch: bundle.epoch,
            digest: digest,
            highestSuites: bundle.highestSuites.merged(with: pin?.highestSuites ?? .none),
            issuedAt: bundle.issuedAt,
            fetchedAt: fetchedAt
        )
    }

    private func check(against pin: BundlePin) throws(KeyBundleError) {
        guard bundle.epoch >= pin.epoch else {
            throw .rolledBack(epoch: bundle.epoch, pinnedEpoch: pin.epoch)
        }
        guard bundle.epoch > pin.epoch || digest == pin.digest else { throw .equivocation(epoch: bundle.epoch) }
        if let downgrade = bundle.highestSuites.downgrade(from: pin.highestSuites) {
            throw .suiteDowngrade(from: downgrade.from, to: downgrade.to)
        }
    }

    private static func checkTimes(of entry: KeyBundle.Entry, now: Timestamp) throws(KeyBundleError) {
        guard entry.notAfter.milliseconds <= Timestamp.millisecondsMax, entry.notBefore <= entry.notAfter,
            entry.notAfter <= entry.notBefore.advanced(by: KeyBundle.validityMax)
        else { throw .validityTooLong }
        guard entry.notBefore <= now.advanced(by: KeyBundle.clockSkewMax) else {
            throw .notYetValid(from: entry.notBefore)
        }
        guard now <= entry.notAfter else { throw .expired(at: entry.notAfter) }
    }
}

// For trust on first use.
extension SignedKeyBundle {
    /// Identity that a bundle claims, unproven.
    ///
    /// - Throws: `.malformed`, also for an unusable identity key; `.unsupportedVersion`.
    package static func claimedIdentity(of bytes: [UInt8]) throws(KeyBundleError) -> IdentityKey {
        var reader = ByteReader(bytes[...])
        guard let version = reader.take(UInt8.self) else { throw .malformed }
        guard version == KeyBundle.version else { throw .unsupportedVersion(version) }
        guard let identity = reader.take(Ed25519PublicKey.byteCount) else { throw .malformed }
        do {
            return try IdentityKey(rawRepresentation: identity)
        } catch {
            throw .malformed
        }
    }
}

/// Unverified fields before the signature.
private struct Content {
    let epoch: UInt64
    let issuedAt: Timestamp
    let entries: [KeyBundle.Entry]

    init(_ reader: inout ByteReader, identity: IdentityKey, topic: BundleID) throws(KeyBundleError) {
        guard let version = reader.take(UInt8.self) else { throw .malformed }
        guard version == KeyBundle.version else { throw .unsupportedVersion(version) }
        guard let identityBytes = reader.take(Ed25519PublicKey.byteCount) else { throw .malformed }
        guard identityBytes == identity.rawRepresentation else { throw .otherIdentity }
        guard let epoch = reader.take(UInt64.self), let issuedAt = reader.take(UInt64.self),
            let topicBytes = reader.takeLengthPrefixed()
        else { throw .malformed }
        guard topicBytes == topic.bytes else { throw .otherTopic }
        guard let count = reader.take(UInt8.self), (1...KeyBundle.entryCountMax).contains(Int(count)) else {
            throw .malformed
        }
        var entries: [KeyBundle.Entry] = []
        for _ in 0..<count { entries.append(try Self.entry(&reader)) }
        self.epoch = epoch
        self.issuedAt = Timestamp(milliseconds: issuedAt)
        self.entries = entries
    }

    private static func entry(_ reader: inout ByteReader) throws(KeyBundleError) -> KeyBundle.Entry {
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
        return KeyBundle.Entry(
            prekey: PublicPrekey(suite: suite, protectionClass: protectionClass, key: key),
            notBefore: Timestamp(milliseconds: notBefore),
            notAfter: Timestamp(milliseconds: notAfter)
        )
    }
}
