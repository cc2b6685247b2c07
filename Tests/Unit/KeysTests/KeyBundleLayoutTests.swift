import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

struct KeyBundleLayoutTests {
    @Test func `a bundle of one prekey is 181 bytes, laid as the protocol says`() throws {
        let device = Device(seed: 100)
        let signed = try bundle(of: device, [.afterFirstUnlock]).signed(by: device.key)
        #expect(signed.count == 181)
        #expect(signed.dropLast(64) == BundleBytes(for: device).bytes(signedBy: device.key).dropLast(64))
    }

    @Test func `a bundle of two classes is 231 bytes, laid as the protocol says`() throws {
        let device = Device(seed: 101)
        let signed = try bundle(of: device, [.afterFirstUnlock, .unlocked]).signed(by: device.key)
        #expect(signed.count == 231)
        let laid = BundleBytes(for: device, classes: [1, 2]).bytes(signedBy: device.key)
        #expect(signed.dropLast(64) == laid.dropLast(64))
    }

    @Test(arguments: [[1], [2], [1, 2]] as [[UInt8]])
    func `a bundle laid by hand is read field by field`(_ classes: [UInt8]) throws {
        let device = Device(seed: 102)
        var bytes = BundleBytes(for: device, classes: classes)
        bytes.epoch = 0x0000_0102_0304_0506
        bytes.issuedAt = 0x0011_1213_1415_1617
        for index in bytes.entries.indices {
            bytes.entries[index].notBefore -= UInt64(index) + 1
            bytes.entries[index].notAfter += UInt64(index) + 1
        }
        let read = try verify(bytes.bytes(signedBy: device.key), of: device)
        #expect(read.identity == device.identity)
        #expect(read.epoch == bytes.epoch)
        #expect(read.issuedAt.milliseconds == bytes.issuedAt)
        #expect(read.topic.bytes == BundleBytes.topic)
        #expect(read.entries.map(\.prekey.protectionClass.rawValue) == classes)
        #expect(read.entries.map(\.prekey.suite) == classes.map { _ in .x25519 })
        #expect(read.entries.map(\.prekey.key) == classes.map { _ in device.prekey })
        #expect(read.entries.map(\.notBefore.milliseconds) == bytes.entries.map(\.notBefore))
        #expect(read.entries.map(\.notAfter.milliseconds) == bytes.entries.map(\.notAfter))
    }

    @Test func `what is signed is read as what it was`() throws {
        let device = Device(seed: 103)
        let bundle = try bundle(of: device, [.afterFirstUnlock, .unlocked])
        #expect(try verify(bundle.signed(by: device.key), of: device) == bundle)
    }

    @Test(arguments: [1, 155])
    func `a bundle for the shortest and the longest topic is read`(_ byteCount: Int) throws {
        let device = Device(seed: 104)
        var bytes = BundleBytes(for: device)
        bytes.topic = [UInt8](repeating: UInt8(ascii: "a"), count: byteCount)
        let signed = bytes.bytes(signedBy: device.key)
        #expect(signed.count == 165 + byteCount)
        #expect(try verify(signed, of: device, topic: bytes.topic).topic.bytes == bytes.topic)
    }

    @Test(arguments: [0, BundleBytes.now.milliseconds + 300_000])
    func `any epoch is read that is not of the future`(_ epoch: UInt64) throws {
        let device = Device(seed: 105)
        var bytes = BundleBytes(for: device)
        bytes.epoch = epoch
        #expect(try verify(bytes.bytes(signedBy: device.key), of: device).epoch == epoch)
    }

    private func bundle(of device: Device, _ classes: [ProtectionClass]) throws -> KeyBundle {
        let entries = classes.map { protectionClass in
            KeyBundle.Entry(
                prekey: PublicPrekey(suite: .x25519, protectionClass: protectionClass, key: device.prekey),
                notBefore: BundleBytes.now,
                notAfter: BundleBytes.now.advanced(by: .seconds(30 * 86_400))
            )
        }
        return KeyBundle(
            identity: device.identity,
            epoch: 7,
            issuedAt: BundleBytes.now,
            topic: try BundleID(bytes: BundleBytes.topic),
            entries: entries
        )
    }

    private func verify(
        _ bytes: [UInt8],
        of device: Device,
        topic: [UInt8] = BundleBytes.topic
    ) throws -> KeyBundle {
        try KeyBundle(
            verifying: bytes,
            pinnedIdentity: device.identity,
            topic: try BundleID(bytes: topic),
            now: BundleBytes.now
        )
    }
}
