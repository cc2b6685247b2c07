package import Keys

/// The senders whose messages are shown: their keys, pinned by the app through its own channel.
package struct TrustedSenders: Sendable {
    private let keys: Set<SenderKey>

    package init(_ keys: some Sequence<SenderKey>) { self.keys = Set(keys) }

    package func contains(_ key: SenderKey) -> Bool { keys.contains(key) }
}

// Their file: the text form of one key in each line.
extension TrustedSenders {
    private static let byteCountMax = 1 << 20

    /// - Throws: `FileError`.
    package init(file path: String) throws(FileError) {
        let bytes = try WholeFile.read(path, byteCountMax: Self.byteCountMax)
        var keys: [SenderKey] = []
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        where !line.hasPrefix("#") {
            do {
                keys.append(try SenderKey(text: line))
            } catch {
                throw .malformed(path: path, expected: "a line '\(SenderOwner.textPrefix)…' for each sender")
            }
        }
        self.init(keys)
    }

    package func write(to path: String) throws(FileError) {
        let lines = keys.map { $0.text + "\n" }.sorted().joined()
        try WholeFile.write(Array(lines.utf8), to: path, access: .ownerOnly)
    }
}
