/// Bounds of a note: small persistent data, such as used quotas.
package enum NoteLimits {
    package static let nameByteCounts = 1...64
    package static let byteCounts = 0...65_536

    /// - Throws: `.byteCount`.
    package static func check(_ name: String) throws(StoreError) {
        guard nameByteCounts.contains(name.utf8.count) else {
            throw .byteCount(field: .noteName, of: nameByteCounts)
        }
    }

    /// - Throws: `.byteCount`.
    package static func check(_ change: NoteChange) throws(StoreError) {
        try check(change.name)
        guard byteCounts.contains(change.bytes.count) else { throw .byteCount(field: .note, of: byteCounts) }
    }
}
