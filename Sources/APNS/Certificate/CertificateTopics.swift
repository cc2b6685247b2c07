/// Parser of an APNs certificate's topic list: `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String type, … }, … }`.
///
/// Strict DER (X.690 section 10.1): definite lengths in shortest form, nothing missing, no trailing bytes.
///
/// - Source: "Establishing a certificate-based connection to APNs", the extensions …6.3.4 and …6.3.6.
package struct CertificateTopics {
    /// Our limits: real lists have about ten topics with one type each.
    package static let byteCountMax = 16_384
    package static let topicCountMax = 256
    package static let typeCountMax = 16
    package static let textByteCountMax = 255

    private static let sequenceTag: UInt8 = 0x30
    private static let textTag: UInt8 = 0x0C

    private let bytes: [UInt8]
    private var offset = 0

    /// - Parameter extensionValue: content of the extension's OCTET STRING.
    package static func read(_ extensionValue: [UInt8]) throws(CertificateTopicsError) -> [CertificateTopic] {
        guard extensionValue.count <= byteCountMax else { throw .lengthNotAllowed(offset: 0) }
        var reader = CertificateTopics(bytes: extensionValue)
        let end = try reader.enter(sequenceTag, end: extensionValue.count)
        guard end == extensionValue.count else { throw .trailingBytes(offset: end) }
        var topics: [CertificateTopic] = []
        while reader.offset < end {
            guard topics.count < topicCountMax else { throw .tooMany(offset: reader.offset) }
            topics.append(CertificateTopic(name: try reader.text(end: end), types: try reader.types(end: end)))
        }
        return topics
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func types(end: Int) throws(CertificateTopicsError) -> [String] {
        let end = try enter(Self.sequenceTag, end: end)
        var types: [String] = []
        while offset < end {
            guard types.count < Self.typeCountMax else { throw .tooMany(offset: offset) }
            types.append(try text(end: end))
        }
        return types
    }

    private mutating func text(end: Int) throws(CertificateTopicsError) -> String {
        let start = offset
        let end = try enter(Self.textTag, end: end)
        guard (1...Self.textByteCountMax).contains(end - offset),
            let text = String(validating: bytes[offset..<end], as: UTF8.self)
        else { throw .textMalformed(offset: start) }
        offset = end
        return text
    }

    /// - Parameter end: the enclosing value's.
    /// - Returns: end of the content, at most `end`.
    private mutating func enter(_ tag: UInt8, end: Int) throws(CertificateTopicsError) -> Int {
        guard offset < end else { throw .truncated(offset: offset) }
        guard bytes[offset] == tag else { throw .unexpectedTag(offset: offset) }
        offset += 1
        guard offset < end else { throw .truncated(offset: offset) }
        let first = bytes[offset]
        var byteCount = Int(first)
        if first >= 0x80 {
            // Two bytes of length suffice for `byteCountMax`.
            let lengthByteCount = Int(first & 0x7F)
            guard (1...2).contains(lengthByteCount) else { throw .lengthNotAllowed(offset: offset) }
            guard lengthByteCount < end - offset else { throw .truncated(offset: offset) }
            byteCount = bytes[offset + 1..<offset + 1 + lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
            guard byteCount >= (lengthByteCount == 1 ? 0x80 : 0x100) else { throw .lengthNotAllowed(offset: offset) }
            offset += lengthByteCount
        }
        offset += 1
        guard byteCount <= end - offset else { throw .truncated(offset: offset) }
        return offset + byteCount
    }
}

/// Names the position of an error, never the content.
package enum CertificateTopicsError: Error, Equatable, Sendable {
    case truncated(offset: Int)
    case unexpectedTag(offset: Int)
    /// Indefinite, not in shortest form, or above a limit.
    case lengthNotAllowed(offset: Int)
    case trailingBytes(offset: Int)
    case textMalformed(offset: Int)
    case tooMany(offset: Int)
}
