/// Secret bytes, zeroed when released. Neither `"\(key)"` nor `key == key` compiles, and only `copy` makes a copy.
///
/// Plain storage is for one message. Guarded storage, at thousands of times the cost, is for identities and prekeys:
/// libsodium's pages, locked, excluded from core dumps, trapping on overrun, for about the time of one X25519
/// operation. Apple's platforms lack them.
@safe
package struct SecretBytes: ~Copyable, Sendable {
    package enum Storage: Sendable { case plain, guarded }

    /// SAFETY: a pointer with one owner, which lends it to one borrower or mutator at a time.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let storage: Storage

    package var byteCount: Int { unsafe bytes.count }

    /// - Parameters:
    ///   - storage: `.guarded` for long-lived secrets.
    ///   - fill: writes over zeros.
    /// - Throws: errors of `fill`, after zeroing the bytes.
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

    /// The span cannot leave the closure.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe bytes.bytes)
    }

    package mutating func withMutableBytes<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
        var span = unsafe bytes.mutableBytes
        return body(&span)
    }

    package func copy(storage: Storage = .plain) -> SecretBytes {
        withBytes { SecretBytes(copying: $0, storage: storage) }
    }

    /// Constant time; different lengths are unequal at once.
    package func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return withBytes { one in other.withBytes { Provider.areEqual(one, $0) } }
    }

    /// The same for bytes that are in arrays: codes, hashes, tokens. Written by hand it went wrong twice.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe SecretBytes(copying: one.span.bytes).isEqual(to: SecretBytes(copying: other.span.bytes))
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
    /// For bytes that need not be secret.
    package init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe Array($0) }
    }
}
