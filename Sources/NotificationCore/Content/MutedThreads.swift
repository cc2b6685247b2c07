public import Envelope
import Keys
import Platform
import Primitives

/// Conversation that the person has muted. Sender, relay and Apple do not learn it.
public struct MutedThread: Hashable, Sendable {
    /// Messages' `threadID`.
    public var threadID: String
    /// End by the device's clock; nil for none.
    public var until: Timestamp?
    /// True if messages that mention the person are shown as usual.
    public var passesMentions: Bool

    /// Creates a muted conversation; by default for good, mentions too.
    public init(threadID: String, until: Timestamp? = nil, passesMentions: Bool = false) {
        self.threadID = threadID
        self.until = until
        self.passesMentions = passesMentions
    }
}

/// Muted conversations, written by the app.
///
/// Bytes: "SPM1" ‖ entries of 25 bytes: hash of the thread 16 ‖ end u64, all ones for none ‖ passes mentions u8, 0 or 1.
/// In a damaged or unreadable file none is muted.
struct MutedThreads: Sendable {
    static let countMax = 1_000
    private static let magic = Array("SPM1".utf8)
    private static let byteCountMax = magic.count + 25 * countMax
    private static let context = "SealedPush/1 muted thread"

    let path: String

    func isMuted(_ threadID: String, isMention: Bool, now: Timestamp) -> Bool {
        // Missing or unreadable: the message sounds.
        guard let bytes = try? WholeFile.read(path, byteCountMax: Self.byteCountMax) else { return false }
        return Self.isMuted(threadID, isMention: isMention, now: now, in: bytes)
    }

    func set(_ threads: [MutedThread]) throws(FileError) {
        try WholeFile.write(Self.bytes(of: threads), to: path, access: .protected(.untilFirstUnlock))
    }

    static func bytes(of threads: [MutedThread]) -> [UInt8] {
        var bytes = magic
        for thread in threads {
            bytes += hash(thread.threadID)
            bytes.append(bigEndian: thread.until?.milliseconds ?? .max)
            bytes.append(thread.passesMentions ? 1 : 0)
        }
        return bytes
    }

    static func isMuted(_ threadID: String, isMention: Bool, now: Timestamp, in bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes[...])
        guard !threadID.isEmpty, reader.take(magic.count) == magic else { return false }
        let wanted = hash(threadID)
        var isMuted = false
        while reader.remainingByteCount > 0 {
            guard let hash = reader.take(wanted.count), let end = reader.take(UInt64.self),
                let passesMentions = reader.take(UInt8.self), passesMentions <= 1
            else { return false }
            guard hash == wanted else { continue }
            isMuted = isMuted || now.milliseconds < end && !(isMention && passesMentions == 1)
        }
        return isMuted
    }

    private static func hash(_ threadID: String) -> [UInt8] {
        Array(SHA256.hash(Array(context.utf8) + Array(threadID.utf8)).prefix(16))
    }
}
