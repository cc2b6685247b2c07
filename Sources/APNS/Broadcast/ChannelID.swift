/// The name of a broadcast channel, as APNs gives it: base64 text whose length must not be assumed.
///
/// It belongs to one app in one environment.
///
/// - Source: "Sending channel management requests to APNs", `apns-channel-id`.
public struct ChannelID: Hashable, Sendable {
    /// Ours: Apple's examples have 24 characters.
    public static let byteCountMax = 256

    /// 1 ... `byteCountMax` characters of base64 in either alphabet, `=` included.
    public let bytes: [UInt8]

    /// - Throws: `.channelIDEmpty`, `.channelIDTooLong`, `.channelIDCharacter`.
    public init(bytes: [UInt8]) throws(APNSError) {
        guard !bytes.isEmpty else { throw .channelIDEmpty }
        guard bytes.count <= Self.byteCountMax else {
            throw .channelIDTooLong(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        for (offset, byte) in bytes.enumerated() where !Self.isAllowed(byte) {
            throw .channelIDCharacter(offset: offset)
        }
        self.bytes = bytes
    }

    /// - Throws: `.channelIDEmpty`, `.channelIDTooLong`, `.channelIDCharacter`.
    public init(_ text: String) throws(APNSError) { try self.init(bytes: Array(text.utf8)) }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

extension ChannelID: CustomStringConvertible {
    /// The text of `apns-channel-id`.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Whether a channel keeps a message for devices that are offline. Chosen when it is made, and for good.
///
/// - Source: "Sending channel management requests to APNs", `message-storage-policy`.
public enum ChannelStoragePolicy: Int, Sendable, CaseIterable {
    /// No message is kept: `apns-expiration` must be 0.
    case none = 0
    /// The most recent message is kept, 8 hours at most.
    case mostRecent = 1
}
