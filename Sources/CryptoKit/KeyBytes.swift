internal import COpenSSL

/// Bytes of a key, zeroed when the last copy goes, as CryptoKit zeroes its own.
///
/// Unchecked: written before it is shared.
@safe final class KeyBytes: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    var count: Int { unsafe bytes.count }

    init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        unsafe bytes = .allocate(byteCount: byteCount, alignment: 16)
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        try unsafe fill(bytes)
    }

    convenience init(copying source: UnsafeRawBufferPointer) {
        unsafe self.init(byteCount: source.count) { unsafe $0.copyMemory(from: source) }
    }

    convenience init(randomByteCount count: Int) {
        unsafe self.init(byteCount: count) { bytes in
            let code = unsafe RAND_bytes(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(count))
            precondition(code == 1, "OpenSSL has no random bytes")
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(bytes))
    }

    func withPointer<R>(_ body: (UnsafePointer<UInt8>?) throws -> R) rethrows -> R {
        try unsafe body(UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self).baseAddress))
    }
}

/// Compares in constant time; different lengths are unequal at once.
func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    unsafe one.count == other.count && CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
