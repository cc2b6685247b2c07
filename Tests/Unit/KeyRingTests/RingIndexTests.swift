import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

struct RingIndexTests {
    @Test func `an index comes back from its record`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let index = try Self.index(&random, rotations: Int.random(in: 0...12, using: &random))
            #expect(RingIndex(record: index.record) == index, "seed \(seed)")
        }
    }

    @Test func `the fullest index fits its record`() throws {
        var random = SeededRandom(seed: 40)
        let index = try Self.index(&random, rotations: 60)
        #expect(index.prekeys.count == 60)
        #expect(RingIndex(record: index.record) == index)
        // 64 prekeys, 64 destroyed ids, 8 destroyed epochs, the longest topic and a bundle of four entries of two
        // suites.
        let most = 7 + 32 + 156 + 24 + 1 + 16 + 1 + 64 * (34 + 40) + 1 + 64 * 8 + 1 + 8 * 8 + 2 + 2_838 + 32
        #expect(most <= RingIndex.recordByteCountMax)
    }

    /// Field by field, independent of the code that writes it.
    @Test func `a record is laid out as its comment says`() throws {
        let index = try Self.oneRotation()
        let prekey = try #require(index.prekeys.first)
        var expected = Array("SPring".utf8) + [2] + index.identity.rawRepresentation
        expected += [16] + Array("com.example.chat".utf8)
        expected += Array(0..<16) + Self.bigEndian(3) + [1] + Self.bigEndian(index.epoch) + Self.bigEndian(0)
        expected += [1, 1, 1] + prekey.prekey.key.rawRepresentation
        expected += Self.bigEndian(1_800_000_000_000) + Self.bigEndian(1_805_184_000_000)
        expected += Self.bigEndian(0) + Self.bigEndian(0) + Self.bigEndian(0)
        expected += [0, 0, 0, 181] + index.bundle
        expected += SHA256.hash(expected)
        #expect(index.record == expected)
    }

    @Test func `a record that is cut anywhere, or longer by a byte, is none`() throws {
        let record = try Self.oneRotation().record
        for count in 0..<record.count { #expect(RingIndex(record: Array(record.prefix(count))) == nil) }
        #expect(RingIndex(record: record + [0]) == nil)
    }

    @Test func `a record with any bit of any byte flipped is none (abuse case 49)`() throws {
        let record = try Self.oneRotation().record
        for offset in record.indices {
            var changed = record
            changed[offset] ^= 1 << UInt8(offset % 8)
            #expect(RingIndex(record: changed) == nil, "byte \(offset)")
        }
    }

    /// Each fault alone, under a right digest: the digest is no authority.
    @Test(
        arguments: [
            (0, [0x54]), (6, [0]), (6, [1]), (6, [3]), (7, [UInt8](repeating: 0, count: 32)), (39, [0]), (39, [200]),
            (40, [0x20]),
            (80, [9]), (80, [7]),
            (81, [0x7F]), (89, [UInt8](repeating: 0xFF, count: 8)), (97, [65]), (97, [2]), (98, [0]), (98, [2]),
            (99, [0]),
            (99, [3]),
            (156, [0, 0, 0, 0, 0, 0, 0, 1]), (164, [0, 0, 0, 0, 0, 0, 0, 1]), (172, [65]), (172, [1]), (173, [9]),
            (173, [1]),
            (174, [0, 180]), (174, [0, 182]), (174, [0xFF, 0xFF]),
        ] as [(Int, [UInt8])]
    )
    func `a record with one wrong field is none, whatever its digest says`(_ offset: Int, _ bytes: [UInt8]) throws {
        var content = Array(try Self.oneRotation().record.dropLast(32))
        #expect(RingIndex(record: content + SHA256.hash(content)) != nil)
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        #expect(RingIndex(record: content + SHA256.hash(content)) == nil)
    }

    @Test func `a record that names one prekey twice, or as live and destroyed, is none`() throws {
        var index = try Self.oneRotation()
        let record = index.record
        let entry = Array(record[98..<172])
        var twice = Array(record.dropLast(32))
        twice[97] = 2
        twice.insert(contentsOf: entry, at: 98)
        #expect(RingIndex(record: twice + SHA256.hash(twice)) == nil)
        let id = try #require(index.prekeys.first?.id)
        var both = Array(record.dropLast(32))
        both[172] = 1
        both.insert(contentsOf: id.bytes, at: 173)
        #expect(RingIndex(record: both + SHA256.hash(both)) == nil)
        _ = index.destroy { _ in true }
        #expect(RingIndex(record: index.record)?.destroyedIDs == [id])
    }

    @Test func `a record of version 1 is read, and written as version 2`() throws {
        let index = try Self.oneRotation()
        var content = Array(index.record.dropLast(32))
        content[6] = 1
        content.remove(at: 173)
        #expect(RingIndex(record: content + SHA256.hash(content)) == index)
    }

    @Test func `epochs of destroyed prekeys come back, and only in their order`() throws {
        var random = SeededRandom(seed: 42)
        var index = try Self.index(&random, rotations: 12)
        _ = index.destroy { $0.supersession != nil }
        // Eight hours' rotations, the last of which made the bundle's epoch known.
        #expect(index.destroyedEpochs.count == 8)
        #expect(index.destroyedEpochs.last == index.epoch)
        #expect(RingIndex(record: index.record) == index)
        var content = Array(index.record.dropLast(32))
        let last = content.count - index.bundle.count - 2 - 8
        content.replaceSubrange(last..<last + 8, with: content[last - 8..<last])
        #expect(RingIndex(record: content + SHA256.hash(content)) == nil)
    }

    @Test func `random bytes are no index`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let version = UInt8.random(in: 1...2, using: &random)
            let content =
                Array("SPring".utf8) + [version] + random.bytes(count: Int.random(in: 0...600, using: &random))
            // With a right digest, so that every reader behind it is reached.
            #expect(RingIndex(record: content + SHA256.hash(content)) == nil, "seed \(seed)")
        }
    }

    static func oneRotation() throws -> RingIndex {
        var random = SeededRandom(seed: 41)
        return try index(&random, rotations: 1)
    }

    /// A ring of one class after so many rotations, some of them acknowledged and destroyed.
    static func index(_ random: inout SeededRandom, rotations: Int) throws -> RingIndex {
        let key = Ed25519PrivateKey(random: &random)
        var index = RingIndex(
            topic: try BundleID("com.example.chat"),
            identity: IdentityKey(key.publicKey),
            replayStore: Household.replayStore,
            origin: .newIdentity
        )
        var now = Household.start
        for rotation in 0..<rotations {
            let prekey = PublicPrekey(
                suite: .x25519,
                protectionClass: .afterFirstUnlock,
                key: X25519PrivateKey(random: &random).publicKey
            )
            index.rotate(to: [prekey], at: .confirmed(now), signedBy: key)
            if rotation % 3 == 1 { _ = index.acknowledge(epoch: index.epoch, at: .confirmed(now)) }
            now = now.advanced(by: .seconds(3_600))
        }
        return index
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number)
        return bytes
    }
}
