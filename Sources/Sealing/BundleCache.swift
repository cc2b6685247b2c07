public import Envelope
public import Keys
import Primitives

/// Fetched bundles in a folder, shared by all processes of a machine that seal for one sender. Each is fetched once in
/// seven days (`Recipient.copyAgeMax`).
///
///     let pins = try FileBundlePinStore(folder: "/var/lib/chat/pins")
///     let bundles = try BundleCache(folder: "/var/lib/chat/bundles")
///     let recipient = try await bundles.recipient(identity: identity, topic: topic, pins: pins) {
///         try await relay.bundle(of: device)
///     }
///
/// The cache is not trusted: each use verifies a copy in full, against the pins too. A failing or unreadable copy is
/// fetched anew.
public struct BundleCache: Sendable {
    // "SPC1" ‖ fetched-at u64 ‖ SHA-256(all but this)[0..<8] ‖ bundle. The check detects accidents; the bundle is
    // signed.
    private static let mark = Array("SPC1".utf8)
    private static let checkByteCount = 8
    private static let byteCountMax = mark.count + 8 + checkByteCount + KeyBundle.byteCountMax

    private let folder: SlotFolder

    /// - Parameter folder: created with mode 0700 if missing, in a folder that exists. May be that of the pins.
    /// - Throws: `.writableByOthers`, `.system`.
    public init(folder: String) throws(BundlePinStoreError) {
        self.folder = try SlotFolder(folder, suffix: ".bundle")
    }

    /// Makes a recipient from the cached copy, or a bundle fetched now.
    ///
    /// A copy is used while it is younger than seven days, no newer bundle is pinned and its prekey is valid.
    /// Concurrent calls may both fetch; a copy that cannot be stored is fetched again.
    ///
    /// - Parameters:
    ///   - identity: from the app's own authenticated channel or a QR code, never from the relay.
    ///   - topic: app's bundle id.
    ///   - protectionClass: constant per app.
    ///   - pins: shared by everything that seals for this sender.
    ///   - now: sender's clock.
    ///   - fetch: asks the relay for the device's bundle.
    /// - Throws: `RecipientError` for a refused bundle, which changes nothing, and for unusable pins; errors of
    ///   `fetch`.
    public func recipient(
        identity: IdentityKey,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        pins: some BundlePinStore,
        now: Timestamp = .now,
        fetch: () async throws -> [UInt8]
    ) async throws -> Recipient {
        func recipient(_ copy: Copy) throws(RecipientError) -> Recipient {
            try Recipient(
                bundle: copy.bundle,
                fetchedAt: copy.fetchedAt,
                pinnedIdentity: identity,
                topic: topic,
                protectionClass: protectionClass,
                pins: pins,
                now: now
            )
        }
        let slot = BundlePinSlot(identity: identity, topic: topic)
        if let copy = copy(of: slot), copy.fetchedAt <= now,
            now < copy.fetchedAt.advanced(by: Recipient.copyAgeMax)
        {
            do throws(RecipientError) {
                return try recipient(copy)
            } catch {
                // Without pins nothing is sealed. The relay's current bundle may cure any other fault.
                if case .pins = error { throw error }
            }
        }
        let fetched = Copy(bundle: try await fetch(), fetchedAt: now)
        let verified = try recipient(fetched)
        keep(fetched, of: slot)
        return verified
    }

    /// Forgets the copy of a device; the pin stays. For a removed contact, and a re-send that the relay asks for, as
    /// the device then has a newer bundle.
    ///
    /// - Throws: `.system`.
    public func forget(_ identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) {
        try folder.withFile(of: BundlePinSlot(identity: identity, topic: topic)) { file throws(BundlePinStoreError) in
            try file.remove()
        }
    }

    private struct Copy {
        let bundle: [UInt8]
        let fetchedAt: Timestamp
    }

    private func copy(of slot: BundlePinSlot) -> Copy? {
        let bytes = try? folder.withFile(of: slot) { file throws(BundlePinStoreError) in
            try file.read(byteCountMax: Self.byteCountMax)
        }
        guard let bytes else { return nil }
        var reader = ByteReader(bytes[...])
        guard reader.take(Self.mark.count) == Self.mark, let fetchedAt = reader.take(UInt64.self),
            let check = reader.take(Self.checkByteCount), let bundle = reader.take(reader.remainingByteCount)
        else { return nil }
        let copy = Copy(bundle: bundle, fetchedAt: Timestamp(milliseconds: fetchedAt))
        return check == Self.check(of: copy) ? copy : nil
    }

    private func keep(_ copy: Copy, of slot: BundlePinSlot) {
        var bytes = Self.mark
        bytes.append(bigEndian: copy.fetchedAt.milliseconds)
        bytes += Self.check(of: copy) + copy.bundle
        // Without the copy, another fetch is needed, and no message lost.
        try? folder.withFile(of: slot) { file throws(BundlePinStoreError) in try file.write(bytes) }
    }

    private static func check(of copy: Copy) -> [UInt8] {
        var head = mark
        head.append(bigEndian: copy.fetchedAt.milliseconds)
        return Array(SHA256.hash(head, copy.bundle).prefix(checkByteCount))
    }
}
