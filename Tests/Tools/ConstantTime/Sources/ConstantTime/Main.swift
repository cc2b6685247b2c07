import CSodium
import CValgrind
import Envelope
import HPKE
import Platform
import Primitives

/// Runs the code that handles secrets with the secrets marked as undefined memory: valgrind then counts every branch
/// and every address that depends on one.
///
/// Permitted dependencies are declared: each operation has the number of decisions that are public by design, such as a
/// tag's verdict. One more is a failure. Three operations that leak on purpose must be found, or the check itself is
/// broken.
@main
enum ConstantTime {
    static func main() throws {
        guard cvalgrind_is_running() != 0 else {
            print("this means something under valgrind only; use Tests/Tools/ConstantTime/run")
            exit(2)
        }
        let results = try honest() + leaking()
        for result in results { print(result.line) }
        // An error thrown from here would end the process before the lines are out.
        exit(results.allSatisfy(\.isRight) ? 0 : 1)
    }

    private struct Result {
        let name: String
        let count: Int
        let allowed: Int
        var mustLeak = false

        var isRight: Bool { mustLeak ? count > allowed : count <= allowed }
        var line: String {
            "\(isRight ? "ok  " : "LEAK") \(name): \(count) decisions on secrets, "
                + (mustLeak ? "planted: more than \(allowed) must be found" : "\(allowed) allowed")
        }
    }

    /// Counts the decisions of `body` that depend on secrets. The result is kept, so that nothing is optimised away.
    private static func count<Value: ~Copyable>(
        _ name: String,
        allowed: Int,
        mustLeak: Bool = false,
        _ body: () throws -> Value
    ) rethrows -> Result {
        let before = cvalgrind_error_count()
        let value = try body()
        let count = cvalgrind_error_count() - before
        keep(value)
        return Result(name: name, count: count, allowed: allowed, mustLeak: mustLeak)
    }

    private static func keep<Value: ~Copyable>(_ value: borrowing Value) {
        unsafe withUnsafePointer(to: value) { unsafe cvalgrind_keep($0) }
    }

    private static func honest() throws -> [Result] {
        var random = SystemRandom()
        let peer = X25519PrivateKey(random: &random)
        let recipient = X25519PrivateKey(random: &random)
        let sealed = try HPKE.seal([1, 2, 3], to: recipient.publicKey, info: [], random: &random)
        let nonce = random.bytes(count: 12)
        let aeadKey = random.secret(byteCount: 32)
        let box = ChaChaPoly.seal([1, 2, 3], key: aeadKey, nonce: nonce, aad: [])
        let hiddenKey = aeadKey.withBytes { secret(copying: $0) }
        // Its public half stays public.
        recipient.withRawRepresentation { bytes in
            unsafe bytes.withUnsafeBytes { unsafe cvalgrind_make_secret($0.baseAddress, $0.count) }
        }
        return [
            // libsodium checks whether the point is the neutral one or the scalar zero. Our key generation's use of the
            // point is arithmetic on a public key.
            count("X25519, multiple of the base point", allowed: 1) {
                var point = [UInt8](repeating: 0, count: 32)
                hiddenKey.withBytes { scalar in
                    unsafe scalar.withUnsafeBytes { scalar in
                        guard let start = unsafe scalar.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
                        _ = unsafe crypto_scalarmult_ed25519_base(&point, start)
                    }
                }
                return point
            },
            // A zero result is a refusal, and public.
            try count("X25519, agreement", allowed: 1) { try recipient.sharedSecret(with: peer.publicKey) },
            try count("HKDF-SHA256, extract and expand", allowed: 0) {
                try hiddenKey.withBytes { key throws(PrimitiveError) in
                    let extracted = HKDFSHA256.extract(salt: key) { $0.update(key) }
                    return try HKDFSHA256.expand(pseudorandomKey: extracted, info: [1], byteCount: 100)
                }
            },
            count("ChaCha20-Poly1305, seal", allowed: 0) {
                ChaChaPoly.seal([1, 2, 3], key: hiddenKey, nonce: nonce, aad: [])
            },
            // The tag's verdict: once in libsodium, which clears the output by it, and once here.
            try count("ChaCha20-Poly1305, open", allowed: 2) {
                try ChaChaPoly.open(box[...], key: hiddenKey, nonce: nonce, aad: [])
            },
            // The agreement's one and the tag's two; none of the key schedule.
            try count("HPKE, open", allowed: 3) {
                try HPKE.open(
                    sealed.ciphertext[...],
                    encapsulatedKey: sealed.encapsulatedKey,
                    with: recipient,
                    info: []
                )
            },
            try count("Ed25519, key and signature", allowed: 0) {
                try Ed25519PrivateKey(seed: hiddenKey.withBytes { secret(copying: $0) }).signature(over: [1, 2, 3])
            },
            // The verdict.
            count("secrets compared", allowed: 1) {
                hiddenKey.withBytes { secret(copying: $0) }.isEqual(to: hiddenKey)
            },
            try count("frame, padding", allowed: 1) { try Frame(bytes: frameWithSecretPadding()) },
        ]
    }

    /// Leaks that the check must find.
    private static func leaking() throws -> [Result] {
        var random = SystemRandom()
        let key = random.secret(byteCount: 32)
        let hidden = key.withBytes { secret(copying: $0) }
        let frame = frameWithSecretPadding()
        return [
            count("planted: a compare that stops at the first difference", allowed: 1, mustLeak: true) {
                hidden.withBytes { one in
                    key.withBytes { other in (0..<32).allSatisfy { one.byte(at: $0) == other.byte(at: $0) } }
                }
            },
            count("planted: a table looked up by a secret", allowed: 0, mustLeak: true) {
                let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                return hidden.withBytes { bytes in (0..<32).map { table[Int(bytes.byte(at: $0))] } }
            },
            count("planted: padding looked at up to the first byte that is not zero", allowed: 1, mustLeak: true) {
                frame[140...].allSatisfy { $0 == 0 }
            },
        ]
    }

    /// A copy that valgrind calls undefined.
    private static func secret(copying bytes: RawSpan) -> SecretBytes {
        var copy = SecretBytes(copying: bytes)
        copy.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { unsafe cvalgrind_make_secret($0.baseAddress, $0.count) }
        }
        return copy
    }

    private static func frameWithSecretPadding() -> [UInt8] {
        let frame = Frame(
            messageID: [UInt8](repeating: 1, count: 16),
            sentAt: 1,
            expiresAt: 2,
            senderKey: [UInt8](repeating: 2, count: 32),
            flags: [],
            body: Array("{\"a\":1}".utf8)
        )
        var bytes = frame.bytes(byteCount: 2_822)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            let padding = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[140...])
            unsafe cvalgrind_make_secret(padding.baseAddress, padding.count)
        }
        return bytes
    }
}
