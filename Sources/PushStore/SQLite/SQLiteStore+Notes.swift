extension SQLiteStore: NoteBook {
    package func note(_ name: String) async throws(StoreError) -> [UInt8]? { nil }

    package func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {}
}
