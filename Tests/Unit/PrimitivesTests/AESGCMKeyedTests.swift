import TestSupport
import Testing

@testable import Primitives

/// AES-256-GCM keyed once for many messages, beside the same for one message, which has its published cases.
struct AESGCMKeyedTests {
    private let key = [UInt8](repeating: 7, count: 32)

    private func seal(_ sealer: inout AESGCMSealer, _ plaintext: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        var output = SecretBytes(byteCount: plaintext.count + 16) { _ in }
        output.withMutableBytes { output in unsafe sealer.seal(plaintext.span.bytes, nonce: nonce, into: &output) }
        return output.revealed
    }

    /// - Returns: nil when it was refused; the room held zeros then.
    private func open(_ opener: inout AESGCMOpener, _ ciphertext: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
        var output = SecretBytes(byteCount: max(0, ciphertext.count - 16)) { _ in }
        let isGenuine = output.withMutableBytes { output in
            do throws(PrimitiveError) {
                try unsafe opener.open(ciphertext.span.bytes, nonce: nonce, into: &output)
                return true
            } catch {
                #expect(error == .authenticationFailed)
                return false
            }
        }
        if !isGenuine { #expect(output.revealed.allSatisfy { $0 == 0 }) }
        return isGenuine ? output.revealed : nil
    }

    @Test(arguments: [0, 1, 15, 16, 17, 16_384])
    func `many messages under one key are each as if they were alone`(_ byteCount: Int) throws {
        var random = SeededRandom(seed: UInt64(byteCount))
        var sealer = AESGCMSealer(key: key.secret)
        var opener = AESGCMOpener(key: key.secret)
        for _ in 0..<20 {
            let (nonce, plaintext) = (random.bytes(count: 12), random.bytes(count: byteCount))
            let sealed = AESGCM.seal(plaintext, key: key.secret, nonce: nonce, aad: [])
            #expect(seal(&sealer, plaintext, nonce) == sealed)
            #expect(open(&opener, sealed, nonce) == plaintext)
        }
    }

    @Test func `a refusal leaves no text, and the next message opens`() {
        var opener = AESGCMOpener(key: key.secret)
        let nonce = [UInt8](repeating: 1, count: 12)
        let sealed = AESGCM.seal([1, 2, 3, 4], key: key.secret, nonce: nonce, aad: [])
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(open(&opener, flipped, nonce) == nil)
            #expect(open(&opener, sealed, nonce) == [1, 2, 3, 4])
        }
        for count in 0..<sealed.count { #expect(open(&opener, Array(sealed[..<count]), nonce) == nil) }
        #expect(open(&opener, sealed + [0], nonce) == nil)
        #expect(open(&opener, sealed, [UInt8](repeating: 2, count: 12)) == nil)
        #expect(open(&opener, sealed, nonce) == [1, 2, 3, 4])
    }

    @Test func `room that is left over stays as it was`() {
        var sealer = AESGCMSealer(key: key.secret)
        let nonce = [UInt8](repeating: 1, count: 12)
        let plaintext: [UInt8] = [1, 2, 3]
        var output = [UInt8](repeating: 9, count: 40).secret
        output.withMutableBytes { output in
            unsafe sealer.seal(plaintext.span.bytes, nonce: nonce, into: &output)
        }
        let expected = AESGCM.seal(plaintext, key: key.secret, nonce: nonce, aad: [])
        #expect(output.revealed == expected + [UInt8](repeating: 9, count: 21))
    }
}
