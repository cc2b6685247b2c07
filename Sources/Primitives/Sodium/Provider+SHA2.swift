#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CSodium
internal import COpenSSL

/// OpenSSL, four times as fast as libsodium through the processor's instructions. Not EVP, whose contexts cost more
/// than a short hash.
extension Provider {
    @safe struct SHA256State: HashState {
        private var state = SHA256_CTX()

        init() { _ = unsafe copenssl_sha256_init(&state) }

        mutating func update(_ bytes: RawSpan) {
            unsafe bytes.withBytePointer { _ = unsafe copenssl_sha256_update(&state, $0, $1) }
        }

        mutating func finish(into output: inout MutableRawSpan) {
            unsafe output.withMutableBytePointer { start, _ in _ = unsafe copenssl_sha256_final(start, &state) }
        }

        mutating func wipe() { unsafe sodium_memzero(&state, MemoryLayout<SHA256_CTX>.size) }
    }

    @safe struct SHA512State: HashState {
        private var state = SHA512_CTX()

        init() { _ = unsafe copenssl_sha512_init(&state) }

        mutating func update(_ bytes: RawSpan) {
            unsafe bytes.withBytePointer { _ = unsafe copenssl_sha512_update(&state, $0, $1) }
        }

        mutating func finish(into output: inout MutableRawSpan) {
            unsafe output.withMutableBytePointer { start, _ in _ = unsafe copenssl_sha512_final(start, &state) }
        }

        mutating func wipe() { unsafe sodium_memzero(&state, MemoryLayout<SHA512_CTX>.size) }
    }
}
#endif
