/// Which app a push is for, the value of `apns-topic`: a bundle id, with a suffix for some push types.
///
/// - Source: "Sending notification requests to APNs", `apns-topic`; the alphabet is that of `CFBundleIdentifier`.
public struct Topic: Hashable, Sendable {
    /// Ours: Apple names no limit, and every name that has to fit a file name fits this.
    public static let byteCountMax = 255

    /// 1 ... `byteCountMax` ASCII bytes out of `A-Z a-z 0-9 - .`, the bytes of `apns-topic`.
    public let bytes: [UInt8]

    /// The push type whose suffix ends the topic, `.mdm` for a topic of device management, `nil` for a plain bundle id.
    ///
    /// Found once, here: every push is checked against it, and a topic serves millions of pushes.
    public let suffixOwner: PushType?

    /// - Parameter bytes: `apns-topic` as it is on the wire; its ending tells the push type.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(bytes: Span<UInt8>) throws(APNSError) {
        try Self.check(bytes)
        self.bytes = Array(copying: bytes)
        suffixOwner = Self.suffixOwner(of: self.bytes)
    }

    /// - Parameter text: `apns-topic` as it is on the wire; its ending tells the push type.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(_ text: String) throws(APNSError) {
        let utf8 = Array(text.utf8)
        try self.init(bytes: utf8.span)
    }

    /// A topic that is an app's bundle id, whatever it ends in: an app may well be called `com.example.voip`.
    ///
    /// - Parameter bundleID: `CFBundleIdentifier`, without a suffix of Apple's.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(bundleID: String) throws(APNSError) {
        let utf8 = Array(bundleID.utf8)
        try Self.check(utf8.span)
        bytes = utf8
        suffixOwner = nil
    }

    /// The topic on which `pushType` reaches the app whose bundle id this is.
    ///
    /// - Throws: `.topicTooLong`.
    public func appendingSuffix(of pushType: PushType) throws(APNSError) -> Topic {
        guard !pushType.topicSuffix.isEmpty else { return self }
        let joined = bytes + Array(pushType.topicSuffix.utf8)
        return try Topic(bytes: joined.span)
    }

    /// Whether something stands before the ending that `pushType` asks for (always true where it asks for none).
    public func hasSuffix(of pushType: PushType) -> Bool {
        guard suffixOwner != pushType else { return true }
        guard let suffix = Self.suffixes.first(where: { $0.pushType == pushType }) else { return true }
        return Self.ends(bytes, in: suffix.bytes)
    }

    /// Whether a push of `pushType` may go to this topic: with its own suffix, and with no other type's.
    public func fits(_ pushType: PushType) -> Bool {
        suffixOwner == pushType || (suffixOwner == nil && pushType.topicIsBundleID)
    }

    /// What every topic of device management begins with: the UID of the certificate's subject.
    ///
    /// - Source: "Mobile Device Management Protocol Reference", `Topic`: "must begin with the com.apple.mgmt. prefix".
    static let managementPrefix = Array("com.apple.mgmt.".utf8)

    private static func suffixOwner(of bytes: [UInt8]) -> PushType? {
        if bytes.count > managementPrefix.count, bytes.starts(with: managementPrefix) { return .mdm }
        return suffixes.first { ends(bytes, in: $0.bytes) }?.pushType
    }

    /// As bytes: every topic that comes is held to them, and strings would have to be made for each.
    private static let suffixes: [(pushType: PushType, bytes: [UInt8])] = PushType.allCases.compactMap { pushType in
        pushType.topicSuffix.isEmpty ? nil : (pushType, Array(pushType.topicSuffix.utf8))
    }

    private static func ends(_ bytes: [UInt8], in suffix: [UInt8]) -> Bool {
        let start = bytes.count - suffix.count
        guard start > 0 else { return false }
        for offset in suffix.indices.reversed() where bytes[start + offset] != suffix[offset] { return false }
        return true
    }

    private static func check(_ bytes: Span<UInt8>) throws(APNSError) {
        guard !bytes.isEmpty else { throw .topicEmpty }
        guard bytes.count <= byteCountMax else {
            throw .topicTooLong(byteCount: bytes.count, byteCountMax: byteCountMax)
        }
        for offset in bytes.indices where !isAllowed(bytes[offset]) { throw .topicCharacter(offset: offset) }
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// What is on the wire makes two topics the same, however they were made.
extension Topic {
    /// Byte-for-byte equality.
    public static func == (left: Topic, right: Topic) -> Bool { left.bytes == right.bytes }

    /// The bytes only.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Topic: CustomStringConvertible {
    /// The text of `apns-topic`.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
