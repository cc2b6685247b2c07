/// Which app a push is for, the value of `apns-topic`: a bundle id, with a suffix for some push types.
///
/// - Source: "Sending notification requests to APNs", `apns-topic`; the alphabet is that of `CFBundleIdentifier`.
package struct Topic: Hashable, Sendable {
    /// Ours: Apple names no limit, and every name that has to fit a file name fits this.
    package static let byteCountMax = 255

    /// 1 ... `byteCountMax` ASCII bytes out of `A-Z a-z 0-9 - .`, the bytes of `apns-topic`.
    package let bytes: [UInt8]

    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    package init(bytes: Span<UInt8>) throws(APNSError) {
        guard !bytes.isEmpty else { throw .topicEmpty }
        guard bytes.count <= Self.byteCountMax else {
            throw .topicTooLong(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        for offset in bytes.indices where !Self.isAllowed(bytes[offset]) { throw .topicCharacter(offset: offset) }
        self.bytes = Array(copying: bytes)
    }

    /// - Throws: `.topicEmpty`, `.topicTooLong`, `.topicCharacter`.
    package init(_ text: String) throws(APNSError) {
        let utf8 = Array(text.utf8)
        try self.init(bytes: utf8.span)
    }

    /// The topic on which `pushType` reaches the app whose bundle id this is.
    ///
    /// - Throws: `.topicTooLong`.
    package func appendingSuffix(of pushType: PushType) throws(APNSError) -> Topic {
        let joined = bytes + Array(pushType.topicSuffix.utf8)
        return try Topic(bytes: joined.span)
    }

    /// Whether something stands before the ending that `pushType` asks for (always true where it asks for none).
    package func hasSuffix(of pushType: PushType) -> Bool {
        let suffix = pushType.topicSuffix.utf8
        return bytes.count > suffix.count && bytes.suffix(suffix.count).elementsEqual(suffix)
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

extension Topic: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
