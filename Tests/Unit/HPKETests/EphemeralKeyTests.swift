import Foundation
import Primitives
import TestSupport
import Testing

@testable import HPKE

struct EphemeralKeyTests {
    /// Gives the same for every call.
    private struct Stuck: RandomSource {
        let pattern: [UInt8]
        mutating func fill(_ span: inout MutableRawSpan) {
            for offset in 0..<span.byteCount {
                span.storeBytes(of: pattern[offset % pattern.count], toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    @Test(arguments: [[0], [0xFF], [1, 2, 3], Array(0..<32)] as [[UInt8]])
    func `a random source that stands still seals nothing (abuse case 33)`(_ pattern: [UInt8]) {
        var working = SeededRandom(seed: 41)
        let recipient = X25519PrivateKey(random: &working)
        var random = Stuck(pattern: pattern)
        let refused = refusal { () throws(HPKEError) in
            _ = try HPKE.seal([1], to: recipient.publicKey, info: [], random: &random)
        }
        #expect(refused == .randomSourceFailed)
    }

    /// `SEALEDPUSH_SEAL_COUNT` chooses more, such as a million.
    @Test func `no ephemeral key of the system's random source comes twice (abuse case 33)`() throws {
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_SEAL_COUNT"]
        let count = try wanted.map { try #require(Int($0)) } ?? 20_000
        var random = SystemRandom()
        let recipient = X25519PrivateKey(random: &random)
        var seen: Set<[UInt8]> = []
        seen.reserveCapacity(count)
        for _ in 0..<count {
            let sealed = try HPKE.seal([], to: recipient.publicKey, info: [], random: &random)
            seen.insert(sealed.encapsulatedKey)
        }
        #expect(seen.count == count)
    }
}
