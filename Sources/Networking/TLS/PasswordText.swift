import COpenSSL

/// Zero-terminated password, wiped with its owner.
@safe struct PasswordText: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// Our limit, and OpenSSL's buffer size for a PEM password.
    static let byteCountMax = 1024

    /// - Returns: nil if too long, or with a zero byte, at which C would cut it.
    init?(_ password: RawSpan) {
        guard password.byteCount <= Self.byteCountMax else { return nil }
        for offset in 0..<password.byteCount {
            guard unsafe password.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != 0 else { return nil }
        }
        unsafe bytes = .allocate(byteCount: password.byteCount + 1, alignment: 1)
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let target = unsafe bytes
        unsafe password.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    var byteCount: Int { unsafe bytes.count - 1 }

    borrowing func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        // Has at least one byte, hence an address.
        unsafe body(UnsafePointer(bytes.baseAddress!.assumingMemoryBound(to: CChar.self)))
    }
}
