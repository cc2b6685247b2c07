import Envelope
public import Keys
import Primitives

// Stored form of a pin:
//
//     "SPP1" ‖ IK 32 ‖ LP(TOPIC) ‖ epoch u64 ‖ SHA-256(bundle) 32 ‖ highest suite of class 1 u8 ‖ of class 2 u8
//            ‖ issued-at u64 ‖ fetched-at u64 ‖ SHA-256(all of this)[0..<8]
//
// Identity and topic reveal a record in a wrong slot. The check detects accidents only.
extension BundlePin {
    private static let mark = Array("SPP1".utf8)
    private static let checkByteCount = 8
    /// Length with the longest topic.
    static let encodedByteCountMax = 4 + 32 + 156 + 8 + 32 + 2 + 16 + 8

    /// - Returns: 103 bytes + |TOPIC|.
    public func encoded(for slot: BundlePinSlot) -> [UInt8] {
        var bytes = Self.mark + slot.identity.rawRepresentation
        bytes.append(lengthPrefixed: slot.topic.bytes)
        bytes.append(bigEndian: epoch)
        bytes += digest
        bytes += [highestSuites.afterFirstUnlock, highestSuites.unlocked]
        bytes.append(bigEndian: issuedAt.milliseconds)
        bytes.append(bigEndian: fetchedAt.milliseconds)
        return bytes + Self.check(of: bytes[...])
    }

    /// Decodes exactly one pin of this slot.
    public init?(encoded bytes: [UInt8], for slot: BundlePinSlot) {
        let content = bytes.dropLast(Self.checkByteCount)
        guard bytes.count <= Self.encodedByteCountMax,
            bytes[content.endIndex...].elementsEqual(Self.check(of: content))
        else { return nil }
        var reader = ByteReader(content)
        guard reader.take(Self.mark.count) == Self.mark, reader.take(32) == slot.identity.rawRepresentation,
            reader.takeLengthPrefixed() == slot.topic.bytes, let epoch = reader.take(UInt64.self),
            let digest = reader.take(SHA256.byteCount), let afterFirstUnlock = reader.take(UInt8.self),
            let unlocked = reader.take(UInt8.self), let issuedAt = reader.take(UInt64.self),
            let fetchedAt = reader.take(UInt64.self), reader.remainingByteCount == 0
        else { return nil }
        self.init(
            epoch: epoch,
            digest: digest,
            highestSuites: HighestSuites(afterFirstUnlock: afterFirstUnlock, unlocked: unlocked),
            issuedAt: Timestamp(milliseconds: issuedAt),
            fetchedAt: Timestamp(milliseconds: fetchedAt)
        )
    }

    private static func check(of content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        unsafe SHA256.hash(content.span.bytes).prefix(checkByteCount)
    }
}
