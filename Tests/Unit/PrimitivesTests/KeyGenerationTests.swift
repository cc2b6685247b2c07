#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import CSodium
import Foundation
import TestSupport
import Testing

@testable import Primitives

/// The computation over the Edwards form against libsodium's own multiplication.
struct KeyGenerationTests {
    /// `SEALEDPUSH_KEY_COUNT` chooses more.
    @Test func `public keys of 10,000 random scalars are what crypto_scalarmult_base says`() throws {
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_KEY_COUNT"]
        let count = try wanted.map { try #require(Int($0)) } ?? 10_000
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var wrongCount = 0
        for _ in 0..<count {
            let scalar = random.bytes(count: 32)
            if try publicKey(scalar) != expected(scalar) { wrongCount += 1 }
        }
        #expect(wrongCount == 0, "seed \(seed)")
    }

    /// Bits that clamping sets and clears, the least and the greatest clamped scalar, and the group order and its
    /// multiples, which clamping makes keys like any other.
    @Test(arguments: [
        String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
        "07" + String(repeating: "00", count: 31), String(repeating: "00", count: 31) + "80",
        String(repeating: "00", count: 31) + "40", "f8" + String(repeating: "ff", count: 30) + "7f",
        "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010",
        "689fae75d61a93c0b2e4b8177dcdf7a600000000000000000000000000000080",
    ])
    func `a scalar at the edge gives the public key that crypto_scalarmult_base gives`(_ hex: String) throws {
        let scalar = try #require(Hex.decode(hex))
        #expect(try publicKey(scalar) == expected(scalar))
    }

    static let quotients = [
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000"
        ),
        (
            "0200000000000000000000000000000000000000000000000000000000000000",
            "eaffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
        ),
        (
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000"
        ),
        (
            "ebffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "a4aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2a"
        ),
        (
            "f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff3f",
            "0300000000000000000000000000000000000000000000000000000000000000"
        ),
        (
            "ecfffffffffff7ffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "151919191919999b9b9b9b9b9b919191919191b9b9b9b9b9b919191919191919"
        ),
        (
            "ffffffffffff0700000000000000000000000000000000000000000000000000",
            "237662277662a7d8899dd8899d6227766227768a9dd8899dd829766227766227"
        ),
        (
            "0000000000000000000000000000000000000000000000000010000000000000",
            "b91e9d2994b6446bbba5b79dbe0419a4abbb5d4591522dfe1953ecd19942694b"
        ),
        (
            "daffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "cacccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc0c"
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000040",
            "9296969696969696969696969696969696969696969696969696969696969616"
        ),
        (
            "5555555555555555555555555555555555555555555555555555555555555555",
            "dff0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f070"
        ),
        (
            "f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbf",
            "0300000000000000000000000000000000000000000000000000000000000000"
        ),
    ]

    /// y of small and of great points, where a carry decides: u = (1 + y) / (1 - y), computed with Python's integers:
    /// `p = 2**255 - 19; u = (1 + y) * pow(1 - y, p - 2, p) % p`.
    @Test(arguments: quotients)
    func `the map gives the quotient at the ends of the field`(_ y: String, _ u: String) throws {
        #expect(try Hex.encode(EdwardsPoint.montgomeryU(ofEncoded: #require(Hex.decode(y)))) == u)
    }

    private func publicKey(_ scalar: [UInt8]) throws -> [UInt8] {
        try X25519PrivateKey(rawRepresentation: scalar.secret).publicKey.rawRepresentation
    }

    private func expected(_ scalar: [UInt8]) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: 32)
        _ = unsafe crypto_scalarmult_base(&point, scalar)
        return point
    }
}
#endif
