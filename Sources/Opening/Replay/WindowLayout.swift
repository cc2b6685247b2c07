/// Window's file: 976 pages of 4,096 bytes, 3,997,696 bytes in all, made whole and never grown.
///
///     page 0         identity (64 bytes), state (80 bytes), from byte 512 the journal
///     page 1         the current sweep
///     pages 2-49     48 × 85 senders of 48 bytes
///     pages 50-129   80 × 85 ordered changes of 48 bytes
///     pages 130-975  846 × 128 = 108,288 ids of 32 bytes
///
/// All is in 64-bit words, little-endian as on our platforms; none crosses a page.
///
/// Not SQLite: its ids cost 60 bytes and more (10^5 do not fit in 4 MB), and its cache counts against the extension's
/// few megabytes. iOS ends a process suspended with its lock (0xdead10cc), and its log is two more files to lose. Not a
/// mapped file: a truncated one is a SIGBUS.
enum WindowLayout {
    static let pageByteCount = 4_096
    static let pageWordCount = pageByteCount / 8
    static let pageCount = 976
    static let byteCount = pageCount * pageByteCount

    static let sweepPage = 1
    static let senderPages = 2..<50
    static let orderPages = 50..<130
    static let recordPages = 130..<976

    static let rowsPerPage = pageWordCount / SenderRow.wordCount
    static let recordsPerPage = pageWordCount / ReplayRecord.wordCount

    static let journalWord = 64
    static let journalWordCountMax = pageWordCount - journalWord

    static let name = "replay-window-1"

    /// Live ids of one sender (protocol v1, rule 24).
    static let quota = 4_096
    /// Milliseconds that an id is kept after expiry (protocol v1, rule 24).
    static let keptAfterExpiry: UInt64 = 24 * 3_600_000
    /// In milliseconds (protocol v1, rule 25).
    static let lifetimeMax: UInt64 = 30 * 86_400_000

    static func offset(ofPage page: Int) -> Int { page * pageByteCount }

    static func offset(ofSender slot: Int) -> Int {
        offset(ofPage: senderPages.lowerBound + slot / rowsPerPage) + slot % rowsPerPage * SenderRow.wordCount * 8
    }
}
