import Envelope
import Keys
import Primitives

// The index as a record (big-endian; LP(x) = length byte ‖ x):
//
//     "SPring" ‖ version 0x02 ‖ IK 32 ‖ LP(TOPIC) ‖ replay store id 16 ‖ generation u64 ‖ origin u8 ‖ epoch u64
//     ‖ acknowledged epoch u64
//     ‖ count u8 ‖ prekeys: suite u8 ‖ class u8 ‖ key ‖ not-before u64 ‖ not-after u64
//                           ‖ superseded: epoch u64 (0: not), at u64, acknowledged-at u64 (0: not known)
//     ‖ count u8 ‖ destroyed ids 8 each ‖ count u8 ‖ destroyed epochs u64 each, ascending
//     ‖ length u16 ‖ bundle ‖ SHA-256 of all that 32
//
// Version 0x01, only read, lacks destroyed epochs. The digest finds accidents only: write access implies read access to
// the secrets beside it.
extension RingIndex {
    static let recordByteCountMax = 16_384
    private static let magic = Array("SPring".utf8)
    private static let version: UInt8 = 0x02
    /// A rotation adds one, without overflow.
    private static let epochMax: UInt64 = 1 << 62

    var record: [UInt8] {
        var record = Self.magic + [Self.version] + identity.rawRepresentation
        record.append(lengthPrefixed: topic.bytes)
        record += replayStore.id
        record.append(bigEndian: replayStore.generation)
        record.append(origin.rawValue)
        record.append(bigEndian: epoch)
        record.append(bigEndian: acknowledgedEpoch)
        record.append(UInt8(prekeys.count))
        for prekey in prekeys { record.append(prekey) }
        record.append(UInt8(destroyedIDs.count))
        for id in destroyedIDs { record += id.bytes }
        record.append(UInt8(destroyedEpochs.count))
        for epoch in destroyedEpochs { record.append(bigEndian: epoch) }
        record.append(bigEndian: UInt16(bundle.count))
        record += bundle
        return record + SHA256.hash(record)
    }

    init?(record: [UInt8]) {
        guard record.count <= Self.recordByteCountMax, record.count > SHA256.byteCount else { return nil }
        let content = Array(record.dropLast(SHA256.byteCount))
        guard SHA256.hash(content).elementsEqual(record.suffix(SHA256.byteCount)) else { return nil }
        var reader = ByteReader(content[...])
        guard reader.take(Self.magic.count) == Self.magic, let version = reader.take(UInt8.self),
            1...Self.version ~= version, let empty = Self.takeHead(&reader),
            let epoch = reader.take(UInt64.self), epoch <= Self.epochMax,
            let acknowledgedEpoch = reader.take(UInt64.self), acknowledgedEpoch <= epoch,
            let prekeys = Self.takePrekeys(&reader, identity: empty.identity),
            let destroyedIDs = Self.takeDestroyedIDs(&reader),
            let destroyedEpochs = version == 1 ? [] : Self.takeDestroyedEpochs(&reader),
            let bundleByteCount = reader.take(UInt16.self), let bundle = reader.take(Int(bundleByteCount)),
            reader.remainingByteCount == 0
        else { return nil }
        let ids = prekeys.map(\.id) + destroyedIDs
        guard Set(ids).count == ids.count else { return nil }
        self.init(
            empty: empty,
            epoch: epoch,
            acknowledgedEpoch: acknowledgedEpoch,
            prekeys: prekeys,
            destroyedIDs: destroyedIDs,
            destroyedEpochs: destroyedEpochs,
            bundle: bundle
        )
        guard bundle.isEmpty || KeyBundle.canHold(current.map(\.prekey)) else { return nil }
    }

    private static func takeHead(_ reader: inout ByteReader) -> RingIndex? {
        guard let identityBytes = reader.take(Ed25519PublicKey.byteCount),
            let topicBytes = reader.takeLengthPrefixed(), let storeID = reader.take(StoreID.idByteCount),
            let generation = reader.take(UInt64.self), let origin = reader.take(UInt8.self).flatMap(Origin.init)
        else { return nil }
        do {
            return RingIndex(
                topic: try BundleID(bytes: topicBytes),
                identity: try IdentityKey(rawRepresentation: identityBytes),
                replayStore: StoreID(id: storeID, generation: generation),
                origin: origin
            )
        } catch {
            return nil
        }
    }

    private static func takePrekeys(_ reader: inout ByteReader, identity: IdentityKey) -> [RingPrekey]? {
        guard let count = reader.take(UInt8.self), count <= prekeyCountMax else { return nil }
        var prekeys: [RingPrekey] = []
        for _ in 0..<count {
            guard let prekey = takePrekey(&reader, identity: identity) else { return nil }
            prekeys.append(prekey)
        }
        return prekeys
    }

    private static func takePrekey(_ reader: inout ByteReader, identity: IdentityKey) -> RingPrekey? {
        guard let suite = reader.take(UInt8.self).flatMap(Suite.init),
            let protectionClass = reader.take(UInt8.self).flatMap(ProtectionClass.init),
            let keyBytes = reader.take(suite.publicKeyByteCount), let notBefore = reader.take(UInt64.self),
            let notAfter = reader.take(UInt64.self), let supersededEpoch = reader.take(UInt64.self),
            let supersededAt = reader.take(UInt64.self), let acknowledgedAt = reader.take(UInt64.self)
        else { return nil }
        let key: X25519PublicKey
        do {
            key = try X25519PublicKey(rawRepresentation: keyBytes)
        } catch {
            return nil
        }
        var prekey = RingPrekey(
            PublicPrekey(suite: suite, protectionClass: protectionClass, key: key),
            identity: identity,
            notBefore: Timestamp(milliseconds: notBefore),
            notAfter: Timestamp(milliseconds: notAfter)
        )
        guard supersededEpoch > 0 else { return supersededAt == 0 && acknowledgedAt == 0 ? prekey : nil }
        prekey.supersession = RingPrekey.Supersession(
            epoch: supersededEpoch,
            at: supersededAt == 0 ? nil : Timestamp(milliseconds: supersededAt),
            acknowledgedAt: acknowledgedAt == 0 ? nil : Timestamp(milliseconds: acknowledgedAt)
        )
        return prekey
    }

    private static func takeDestroyedIDs(_ reader: inout ByteReader) -> [PrekeyID]? {
        guard let count = reader.take(UInt8.self), count <= destroyedCountMax else { return nil }
        var ids: [PrekeyID] = []
        for _ in 0..<count {
            guard let id = reader.take(PrekeyID.byteCount).flatMap({ PrekeyID($0) }) else { return nil }
            ids.append(id)
        }
        return ids
    }

    private static func takeDestroyedEpochs(_ reader: inout ByteReader) -> [UInt64]? {
        guard let count = reader.take(UInt8.self), count <= destroyedEpochCountMax else { return nil }
        var epochs: [UInt64] = []
        for _ in 0..<count {
            guard let epoch = reader.take(UInt64.self), epoch > epochs.last ?? 0 else { return nil }
            epochs.append(epoch)
        }
        return epochs
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ prekey: RingPrekey) {
        self += [prekey.prekey.suite.rawValue, prekey.prekey.protectionClass.rawValue]
        self += prekey.prekey.key.rawRepresentation
        append(bigEndian: prekey.notBefore.milliseconds)
        append(bigEndian: prekey.notAfter.milliseconds)
        append(bigEndian: prekey.supersession?.epoch ?? 0)
        append(bigEndian: prekey.supersession?.at?.milliseconds ?? 0)
        append(bigEndian: prekey.supersession?.acknowledgedAt?.milliseconds ?? 0)
    }
}
