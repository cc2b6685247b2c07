extension SQLiteStore: NoteTable {
    package func notes(_ names: [String]) async throws(StoreError) -> [[UInt8]] {
        try await read { reader throws(StoreError) in
            var notes: [[UInt8]] = []
            for name in names { notes.append(try reader.note(name) ?? []) }
            return notes
        }
    }

    package func replace(_ notes: [NoteChange]) async throws(StoreError) -> [[UInt8]]? {
        try await write { writer throws(StoreError) in try writer.replace(notes) }
    }
}
