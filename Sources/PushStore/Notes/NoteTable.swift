/// Small persistent data by name, which all relays share.
package protocol NoteTable: Sendable {
    /// Reads notes, in order; empty for none.
    ///
    /// - Throws: `.byteCount(field: .noteName)`, and disk errors.
    func notes(_ names: [String]) async throws(StoreError) -> [[UInt8]]

    /// Replaces notes, unless one has changed: so relays do not overwrite each other's.
    ///
    /// - Returns: nil for success; otherwise the present notes, in order, empty for none.
    /// - Throws: `.byteCount`, and disk errors.
    func replace(_ notes: [NoteChange]) async throws(StoreError) -> [[UInt8]]?
}
