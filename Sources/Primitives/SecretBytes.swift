private import CSodium

/// Secret bytes, zeroed when their owner goes. Neither `"\(key)"` nor `key == key` compiles, and no copy can be made.
///
/// Two kinds of storage, because they differ in cost by a factor of thousands: a plain allocation for what lives as
/// long as one message, and libsodium's guarded pages (locked in memory, kept out of core dumps, a trap on overrun)
/// for identities and prekeys. Guarded storage costs about one X25519 operation.
@safe
package struct SecretBytes: ~Copyable, Sendable {
    package enum Storage: Sendable { case plain, guarded }

    /// Unsafe only for being a pointer: its one owner lends it to one borrower or one mutator at a time.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let storage: Storage

    package var byteCount: Int { unsafe bytes.count }

    /// - Parameters:
    ///   - byteCount: one or more.
    ///   - storage: `.guarded` for what lives long.
    ///   - fill: writes every byte; sees zeros first.
    /// - Throws: what `fill` throws, after what it wrote was zeroed.
    package init<Failure: Error>(
        byteCount: Int,
        storage: Storage = .plain,
        fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(byteCount > 0)
        let bytes = unsafe Self.allocate(byteCount: byteCount, storage: storage)
        var span = unsafe bytes.mutableBytes
        do {
            try fill(&span)
        } catch {
            unsafe Self.release(bytes, storage: storage)
            throw error
        }
        unsafe self.bytes = bytes
        self.storage = storage
    }

    package init(copying source: RawSpan, storage: Storage = .plain) {
        self.init(byteCount: source.byteCount, storage: storage) { span in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe source.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
            }
        }
    }

    /// Lends the bytes; the span cannot leave the closure.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe bytes.bytes)
    }

    /// Lends the bytes for writing.
    package mutating func withMutableBytes<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
        var span = unsafe bytes.mutableBytes
        return body(&span)
    }

    package func copy(storage: Storage = .plain) -> SecretBytes {
        withBytes { SecretBytes(copying: $0, storage: storage) }
    }

    /// Compares in constant time; different lengths are unequal at once.
    package func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe sodium_memcmp(bytes.baseAddress, other.bytes.baseAddress, byteCount) == 0
    }

    deinit { unsafe Self.release(bytes, storage: storage) }

    private static func allocate(byteCount: Int, storage: Storage) -> UnsafeMutableRawBufferPointer {
        switch storage {
        case .plain:
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return unsafe bytes
        case .guarded:
            Sodium.initialize()
            let pages = unsafe sodium_malloc(byteCount)
            // The limit on locked memory is not what fails here (libsodium goes on without the lock); only a
            // system without memory gives nil.
            guard let pages = unsafe pages else { preconditionFailure("out of memory for \(byteCount) secret bytes") }
            unsafe sodium_memzero(pages, byteCount)
            return unsafe UnsafeMutableRawBufferPointer(start: pages, count: byteCount)
        }
    }

    private static func release(_ bytes: UnsafeMutableRawBufferPointer, storage: Storage) {
        switch storage {
        case .plain:
            unsafe sodium_memzero(bytes.baseAddress, bytes.count)
            unsafe bytes.deallocate()
        case .guarded:
            // Zeroes before it unmaps.
            unsafe sodium_free(bytes.baseAddress)
        }
    }
}

extension [UInt8] {
    /// Copies bytes that need not be secret.
    package init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe Array($0) }
    }
}
