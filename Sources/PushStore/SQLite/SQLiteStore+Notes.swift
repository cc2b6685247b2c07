extension SQLiteStore: NoteBook {
    package func note(_ name: String) async throws(StoreError) -> [UInt8]? {
        try NoteLimits.check(name)
        return try await reader.perform { reader throws(StoreError) in try reader.note(name) }
    }

    package func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {
        try NoteLimits.check(name)
        guard NoteLimits.byteCounts.contains(bytes.count) else {
            throw .byteCount(field: .note, of: NoteLimits.byteCounts)
        }
        try await writer.perform { writer throws(StoreError) in try writer.setNote(name, to: bytes) }
    }
}
