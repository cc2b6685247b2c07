import Envelope
import FuzzSupport
import Keys
import Primitives

@testable import Opening

/// The key ring's index as it lies in a store: a parsed index is written as the same bytes, and works as any ring does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyRingIndex(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 3 {
    case 0: device.check(input.rest)
    case 1: device.check(Device.checked(input.rest))
    default: device.check(Device.checked(device.opening + input.rest))
    }
    return 0
}

private let device = Device()

/// The identity of a ring, and prekeys to rotate to. A class only because its key cannot be copied.
private final class Device: Sendable {
    private let key: Ed25519PrivateKey
    private let prekeys: [PublicPrekey]
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    init() {
        var random = FixedRandom(seed: 1)
        key = Ed25519PrivateKey(random: &random)
        prekeys = [ProtectionClass.afterFirstUnlock, .unlocked].map { protectionClass in
            PublicPrekey(
                suite: .x25519,
                protectionClass: protectionClass,
                key: X25519PrivateKey(random: &random).publicKey
            )
        }
    }

    /// Magic, version and identity, which a fuzzer would not guess.
    var opening: [UInt8] { Array("SPring".utf8) + [0x02] + key.publicKey.rawRepresentation }

    static func checked(_ content: [UInt8]) -> [UInt8] { content + SHA256.hash(content) }

    func check(_ record: [UInt8]) {
        guard let index = RingIndex(record: record) else { return }
        require(index.record == record || record[6] == 1, "an index has one spelling")
        for prekey in index.prekeys { require(index.prekey(prekey.id) == prekey, "every prekey is found by its id") }
        guard index.identity.key == key.publicKey else { return }
        for isConfirmed in [false, true] { live(index, isConfirmed: isConfirmed) }
    }

    /// A day in the ring's life, in the app's order.
    private func live(_ read: RingIndex, isConfirmed: Bool) {
        var index = read
        let policy = RotationPolicy(usesUnlockedClass: true)
        let known = KnownTime(lowerBound: now, isConfirmed: isConfirmed, lastConfirmed: isConfirmed ? now : nil)
        let clock = RingClock(now: now, known: known)
        let destroyed = index.destroyDue(policy: policy, at: clock)
        require(destroyed.allSatisfy { index.prekey($0) == nil }, "what was destroyed is not there")
        if index.isRotationDue(policy: policy, at: clock) {
            let isAhead = index.isAhead(of: clock)
            _ = index.makeRoom(for: prekeys.count)
            if index.canAdd(prekeys), index.hasRoom(for: prekeys.count) {
                index.rotate(to: prekeys, at: clock, signedBy: key)
                require(isAhead || index.epoch > read.epoch, "an epoch grows")
                require(index.current.map(\.prekey) == prekeys, "the new prekeys are the current ones")
                require(!index.isRotationDue(policy: policy, at: clock), "no rotation is due after one")
            }
        }
        _ = index.acknowledge(epoch: index.epoch, at: clock)
        require(index.isPublished, "what the relay has is published")
        // Epochs are times in milliseconds; only a forged record has one as high.
        guard index.epoch < 1 << 62 else { return }
        require(RingIndex(record: index.record) == index, "what was written reads as the same index")
    }
}
