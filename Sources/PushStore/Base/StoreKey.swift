package import Primitives

/// Key of device tokens and cursors: 32 bytes from outside the database.
package struct StoreKey: ~Copyable, Sendable {
    package static let byteCount = 32

    let bytes: SecretBytes

    /// - Throws: `.byteCount(field: .key)`.
    package init(_ bytes: consuming SecretBytes) throws(StoreError) {
        guard bytes.byteCount == Self.byteCount else {
            throw .byteCount(field: .key, of: Self.byteCount...Self.byteCount)
        }
        self.bytes = bytes
    }
}

/// Keys derived from a store's key, one for each purpose.
package final class StoreSecrets: Sendable {
    package enum Purpose: UInt8 {
        case cursor = 1
        /// Finds rows by token.
        case fingerprint = 2
        /// Stored, to detect a wrong key.
        case check = 3
        /// Compares collapse ids of a device.
        case collapse = 4
    }

    static let tagByteCount = HMACSHA256.byteCount

    let tokens: SecretBytes
    private let tags: SecretBytes

    package init(_ key: borrowing StoreKey) {
        tokens = Self.derive(key.bytes, "SealedPush/1 store tokens")
        tags = Self.derive(key.bytes, "SealedPush/1 store tags")
    }

    /// - Returns: 32 bytes over length-prefixed parts of at most 65,535 bytes each.
    package func tag(_ purpose: Purpose, _ parts: [[UInt8]]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
        var elements = tag.mutableSpan
        var output = unsafe elements.mutableBytes
        tags.withBytes { key in
            HMACSHA256.code(key: key, into: &output) { code in
                code.update(byte: purpose.rawValue)
                for part in parts {
                    code.update([UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)])
                    code.update(part)
                }
            }
        }
        return tag
    }

    private static func derive(_ key: borrowing SecretBytes, _ label: StaticString) -> SecretBytes {
        key.withBytes { key in
            SecretBytes(byteCount: StoreKey.byteCount, storage: .guarded) { output in
                HMACSHA256.code(key: key, into: &output) { $0.update(label) }
            }
        }
    }
}
