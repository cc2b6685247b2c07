import TestSupport
import Testing

@testable import Primitives

struct P256KeyAgreementTests {
    /// RFC 5903 section 8.1: both private keys, both points, and the x-coordinate they agree on.
    private enum RFC5903 {
        static let i = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
        static let gix = "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180"
        static let giy = "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3"
        static let r = "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"
        static let grx = "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
        static let gry = "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab"
        static let girx = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
    }

    /// The curve's field prime and group order (SEC 2 section 2.4.2), and the square root of b.
    private static let p = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    private static let n = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    private static let rootOfB = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"
    private static let zero = String(repeating: "0", count: 64)

    @Test func `both sides of RFC 5903 section 8-1 come to its keys and its secret`() throws {
        let initiator = try key(RFC5903.i)
        let responder = try key(RFC5903.r)
        let initiatorPoint = initiator.publicKey
        let responderPoint = responder.publicKey
        #expect(try initiatorPoint.x963Representation == bytes("04" + RFC5903.gix + RFC5903.giy))
        #expect(try responderPoint.x963Representation == bytes("04" + RFC5903.grx + RFC5903.gry))
        let secret = try initiator.sharedSecret(with: publicKey(RFC5903.grx, RFC5903.gry)).revealed
        let same = try responder.sharedSecret(with: publicKey(RFC5903.gix, RFC5903.giy)).revealed
        #expect(try secret == bytes(RFC5903.girx))
        #expect(try same == bytes(RFC5903.girx))
    }

    @Test func `two new keys agree, and a third does not`() throws {
        var random = SeededRandom(seed: 256)
        for round in 0..<50 {
            let one = try P256PrivateKey(random: &random)
            let other = try P256PrivateKey(random: &random)
            let third = try P256PrivateKey(random: &random)
            let secret = try one.sharedSecret(with: other.publicKey).revealed
            let same = try other.sharedSecret(with: one.publicKey).revealed
            let different = try third.sharedSecret(with: one.publicKey).revealed
            #expect(secret == same && secret.count == 32, "seed 256, round \(round)")
            #expect(secret != different, "seed 256, round \(round)")
        }
    }

    @Test func `a point whose x is zero is a key like any other`() throws {
        let point = try publicKey(Self.zero, Self.rootOfB)
        let secret = try key(RFC5903.i).sharedSecret(with: point).revealed
        #expect(secret.count == 32)
    }

    /// Abuse case 41: keys of an invalid-curve attack, and second spellings of good points.
    @Test(
        arguments: [
            ("y is one too many", RFC5903.gix, String(RFC5903.giy.dropLast()) + "4"),
            ("x and y exchanged", RFC5903.giy, RFC5903.gix),
            ("x and y of zero", zero, zero),
            ("x is the prime, which is zero again", p, rootOfB),
            ("y is the prime", zero, p),
            ("all bits set", String(repeating: "f", count: 64), String(repeating: "f", count: 64)),
        ]
    )
    func `coordinates that are no point are refused (abuse case 41)`(_ name: String, x: String, y: String) throws {
        let bytes = try bytes("04" + x + y)
        #expect(throws: P256Error.notAPoint, "\(name)") { try P256PublicKey(x963Representation: bytes) }
    }

    @Test(arguments: 0...255 as ClosedRange<UInt8>)
    func `65 bytes of any other form than the uncompressed one are refused (abuse case 41)`(_ form: UInt8) throws {
        var bytes = try bytes("04" + RFC5903.gix + RFC5903.giy)
        bytes[0] = form
        let isAccepted = (try? P256PublicKey(x963Representation: bytes)) != nil  // which error is the next test's
        #expect(isAccepted == (form == 4))
    }

    @Test func `the hybrid form of a point is no point (abuse case 41)`() throws {
        var bytes = try bytes("04" + RFC5903.gix + RFC5903.giy)
        bytes[0] = 6 + bytes[64] % 2
        #expect(throws: P256Error.notAPoint) { try P256PublicKey(x963Representation: bytes) }
    }

    @Test func `infinity, compressed points and every other length are refused (abuse case 41)`() throws {
        let whole = try bytes("04" + RFC5903.gix + RFC5903.giy)
        let compressed = [2 + whole[64] % 2] + whole[1..<33]
        for bytes in [[], [0], compressed, Array(whole.dropLast()), whole + [0], Array(whole.dropFirst())] {
            #expect(throws: P256Error.wrongByteCount(expected: 65, actual: bytes.count)) {
                try P256PublicKey(x963Representation: bytes)
            }
        }
    }

    @Test(arguments: [zero, n, p, String(repeating: "f", count: 64)])
    func `a private key of zero, or not below the order, is refused`(_ scalar: String) throws {
        let secret = try bytes(scalar).secret
        let refusal = refusal { () throws(P256Error) in _ = try P256PrivateKey(rawRepresentation: secret.copy()) }
        #expect(refusal == .notAScalar)
    }

    @Test func `the least and the greatest private key have the same x`() throws {
        let least = try key(String(Self.zero.dropLast()) + "1").publicKey.x963Representation
        let greatest = try key(String(Self.n.dropLast()) + "0").publicKey.x963Representation
        #expect(least[1..<33] == greatest[1..<33])
        #expect(least[33...] != greatest[33...])
    }

    @Test(arguments: [1, 31, 33, 64])
    func `a private key of another length is refused`(_ count: Int) {
        let secret = [UInt8](repeating: 1, count: count).secret
        let refusal = refusal { () throws(P256Error) in _ = try P256PrivateKey(rawRepresentation: secret.copy()) }
        #expect(refusal == .wrongByteCount(expected: 32, actual: count))
    }

    @Test func `numbers beyond the order are drawn again, and a source of nothing else is refused`() throws {
        var twiceTooHigh = Constants([.max, .max, 1])
        let key = try P256PrivateKey(random: &twiceTooHigh)
        let scalar = key.withRawRepresentation { [UInt8](copying: $0) }
        #expect(scalar == [UInt8](repeating: 1, count: 32))
        var broken = Constants([0])
        let refusal = refusal { () throws(P256Error) in _ = try P256PrivateKey(random: &broken) }
        #expect(refusal == .notAScalar)
    }

    /// Fills the n-th span with the n-th byte, and those after the last with the last.
    private struct Constants: RandomSource {
        private var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func fill(_ span: inout MutableRawSpan) {
            for offset in 0..<span.byteCount { span.storeBytes(of: bytes[0], toByteOffset: offset, as: UInt8.self) }
            if bytes.count > 1 { bytes.removeFirst() }
        }
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    private func key(_ scalar: String) throws -> P256PrivateKey {
        try P256PrivateKey(rawRepresentation: bytes(scalar).secret)
    }

    private func publicKey(_ x: String, _ y: String) throws -> P256PublicKey {
        try P256PublicKey(x963Representation: bytes("04" + x + y))
    }
}
