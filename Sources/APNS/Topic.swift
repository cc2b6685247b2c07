/// Value of `apns-topic`: an app's bundle id, with a suffix for some push types.
///
/// - Source: "Sending notification requests to APNs", `apns-topic`; the alphabet is that of `CFBundleIdentifier`.
public struct Topic: Hashable, Sendable {
    /// Our limit: Apple names none, and every name that fits a file name fits this.
    public static let byteCountMax = 255

    /// 1 ... `byteCountMax` ASCII bytes of `A-Z a-z 0-9 - .`.
    public let bytes: [UInt8]

    /// Push type of the suffix, `.mdm` for device management, `nil` for a plain bundle id.
    ///
    /// Computed once: each of a topic's millions of pushes is checked against it.
    public let suffixOwner: PushType?

    /// - Parameter bytes: `apns-topic`, whose suffix determines the push type.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(bytes: Span<UInt8>) throws(APNSError) {
        try Self.check(bytes)
        self.bytes = Array(copying: bytes)
        suffixOwner = Self.suffixOwner(of: self.bytes)
    }

    /// - Parameter text: `apns-topic`, whose suffix determines the push type.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(_ text: String) throws(APNSError) {
        let utf8 = Array(text.utf8)
        try self.init(bytes: utf8.span)
    }

    /// Topic of a bundle id with any ending, such as `com.example.voip`.
    ///
    /// - Parameter bundleID: `CFBundleIdentifier`, without Apple's suffix.
    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    public init(bundleID: String) throws(APNSError) {
        let utf8 = Array(bundleID.utf8)
        try Self.check(utf8.span)
        bytes = utf8
        suffixOwner = nil
    }

    /// Topic of `pushType` for the app with this bundle id.
    ///
    /// - Throws: `.topicTooLong`.
    public func appendingSuffix(of pushType: PushType) throws(APNSError) -> Topic {
        guard !pushType.topicSuffix.isEmpty else { return self }
        let joined = bytes + Array(pushType.topicSuffix.utf8)
        return try Topic(bytes: joined.span)
    }

    /// True if the topic has a name before the suffix of `pushType`, or that type has no suffix.
    public func hasSuffix(of pushType: PushType) -> Bool {
        guard suffixOwner != pushType, !pushType.topicSuffix.isEmpty else { return true }
        guard let suffix = Self.suffixes.first(where: { $0.pushType == pushType }) else { return true }
        return Self.ends(bytes, in: suffix.bytes)
    }

    /// True if the topic has this type's suffix, and no other's.
    public func fits(_ pushType: PushType) -> Bool {
        suffixOwner == pushType || (suffixOwner == nil && pushType.topicIsBundleID)
    }

    /// Prefix of the certificate's subject UID in device management.
    ///
    /// - Source: "Mobile Device Management Protocol Reference", `Topic`: "must begin with the com.apple.mgmt. prefix".
    static let managementPrefix = Array("com.apple.mgmt.".utf8)

    private static func suffixOwner(of bytes: [UInt8]) -> PushType? {
        if bytes.count > managementPrefix.count, bytes.starts(with: managementPrefix) { return .mdm }
        return suffixes.first { ends(bytes, in: $0.bytes) }?.pushType
    }

    /// Bytes, so that reading a topic creates no strings.
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

extension Topic {
    /// Byte-for-byte equality.
    public static func == (left: Topic, right: Topic) -> Bool { left.bytes == right.bytes }

    /// Hashes the bytes only.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Topic: CustomStringConvertible {
    /// Text of `apns-topic`.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
