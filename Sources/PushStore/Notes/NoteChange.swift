/// Replacement of a note that is as it was last read.
package struct NoteChange: Sendable {
    package let name: String
    /// Checksum of the note as last read; 0 for none.
    package let known: UInt64
    package let bytes: [UInt8]

    package init(_ name: String, known: UInt64, bytes: [UInt8]) {
        self.name = name
        self.known = known
        self.bytes = bytes
    }

    /// - Returns: 0 for no note, or an empty one.
    package static func sum(_ bytes: [UInt8]) -> UInt64 {
        guard !bytes.isEmpty else { return 0 }
        var sum = Checksum()
        sum.add(bytes)
        return sum.value
    }
}
