import APNS
import Primitives
import TestSupport
import Testing

@testable import APNSSimulator

/// Tokens that only their maker can read.
struct DeviceTokenMintTests {
    private static func mint(_ byte: UInt8 = 7, tokenByteCount: Int = 32) -> DeviceTokenMint {
        let key = SecretBytes(byteCount: 32) { span in
            for offset in 0..<32 { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
        return DeviceTokenMint(key: key, tokenByteCount: tokenByteCount)
    }

    private static func content(_ random: inout SeededRandom) -> DeviceTokenMint.Content {
        DeviceTokenMint.Content(
            environment: Bool.random(using: &random) ? .production : .sandbox,
            installation: UInt32.random(in: 0 ... .max, using: &random),
            generation: UInt16.random(in: 0 ... .max, using: &random),
            app: UInt64.random(in: 0..<1 << 40, using: &random),
            salt: UInt32.random(in: 0 ... .max, using: &random)
        )
    }

    @Test(arguments: [32, 33, 64, 80, 512])
    func `a token of any length is opened as it was sealed`(_ byteCount: Int) {
        var random = SeededRandom(seed: 1)
        let mint = Self.mint(tokenByteCount: byteCount)
        for _ in 0..<100 {
            let content = Self.content(&random)
            let token = mint.seal(content)
            #expect(token.bytes.count == byteCount)
            #expect(mint.open(token) == content)
            #expect(mint.seal(content) == token)
        }
    }

    @Test func `one flipped bit anywhere makes a token nobody's`() throws {
        var random = SeededRandom(seed: 2)
        let mint = Self.mint(tokenByteCount: 40)
        let bytes = mint.seal(Self.content(&random)).bytes
        for bit in 0..<bytes.count * 8 {
            var forged = bytes
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(mint.open(try DeviceToken(bytes: forged)) == nil, "bit \(bit)")
        }
    }

    @Test(arguments: [1, 15, 16, 31, 33, 512])
    func `a token of another length is nobody's`(_ byteCount: Int) throws {
        let token = try DeviceToken(bytes: [UInt8](repeating: 0, count: byteCount))
        #expect(Self.mint().open(token) == nil)
    }

    @Test func `a token of another key is nobody's`() {
        var random = SeededRandom(seed: 3)
        let token = Self.mint(7).seal(Self.content(&random))
        #expect(Self.mint(8).open(token) == nil)
        #expect(DeviceTokenMint().open(token) == nil)
    }

    @Test func `tokens that differ in one bit of content have nothing in common`() {
        var random = SeededRandom(seed: 4)
        let mint = Self.mint()
        var content = Self.content(&random)
        content.installation &= ~1
        let one = mint.seal(content).bytes
        content.installation |= 1
        let other = mint.seal(content).bytes
        #expect(zip(one, other).count { $0 == $1 } < 8)
    }

    @Test func `random bytes are nobody's`() throws {
        var random = SeededRandom(seed: 5)
        let mint = Self.mint()
        for _ in 0..<2000 { #expect(mint.open(try DeviceToken(bytes: random.bytes(count: 32))) == nil) }
    }
}
