/// Id of a broadcast channel of one app in one environment: base64 text of any length.
///
/// - Source: "Sending channel management requests to APNs", `apns-channel-id`.
public struct ChannelID: Hashable, Sendable {
    /// Our limit: Apple's examples have 24 characters.
    public static let byteCountMax = 256

    /// 1 ... `byteCountMax` characters of base64 in either alphabet, with `=`.
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
    /// Text of `apns-channel-id`.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Storage of a channel's messages for offline devices; fixed when the channel is created.
///
/// - Source: "Sending channel management requests to APNs", `message-storage-policy`.
public enum ChannelStoragePolicy: Int, Sendable, CaseIterable {
    /// No storage: `apns-expiration` must be 0.
    case none = 0
    /// Stores the most recent message, 8 hours at most.
    case mostRecent = 1
}
