/// Secret bytes, zeroed when their owner goes. Neither `"\(key)"` nor `key == key` compiles, and no copy can be made.
///
/// Two kinds of storage, because they differ in cost by a factor of thousands: a plain allocation for what lives as
/// long as one message, and guarded memory for identities and prekeys. On Linux those are libsodium's pages: locked in
/// memory, kept out of core dumps, a trap on overrun, at the cost of about one X25519 operation. Apple's platforms have
/// no such pages: there both kinds are the same.
@safe
package struct SecretBytes: ~Copyable, Sendable {
    package enum Storage: Sendable { case plain, guarded }

    /// Unsafe only for being a pointer: its one owner lends it to one borrower or one mutator at a time.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let storage: Storage

    package var byteCount: Int { unsafe bytes.count }

    /// - Parameters:
    ///   - byteCount: zero or more.
    ///   - storage: `.guarded` for what lives long.
    ///   - fill: writes every byte; sees zeros first.
    /// - Throws: what `fill` throws, after what it wrote was zeroed.
    package init<Failure: Error>(
        byteCount: Int,
        storage: Storage = .plain,
        fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(byteCount >= 0)
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
        return withBytes { one in other.withBytes { Provider.areEqual(one, $0) } }
    }

    deinit { unsafe Self.release(bytes, storage: storage) }

    private static func allocate(byteCount: Int, storage: Storage) -> UnsafeMutableRawBufferPointer {
        switch storage {
        case .plain:
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return unsafe bytes
        case .guarded:
            return unsafe Provider.allocateGuarded(byteCount: byteCount)
        }
    }

    private static func release(_ bytes: UnsafeMutableRawBufferPointer, storage: Storage) {
        switch storage {
        case .plain:
            unsafe Provider.wipe(bytes)
            unsafe bytes.deallocate()
        case .guarded:
            unsafe Provider.releaseGuarded(bytes)
        }
    }
}

extension [UInt8] {
    /// Copies bytes that need not be secret.
    package init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe Array($0) }
    }
}
