/// Envelope's plaintext: fixed fields, signature, body, and zeros up to the constant length. Layout (big-endian):
/// docs/protocol.md, "Frame".
package struct Frame: Equatable, Sendable {
    package static let signedByteCount = 68
    package static let bodyOffset = 132
    /// `{}` is the shortest JSON object.
    package static let bodyByteCountMin = 2

    /// 16 random bytes.
    package var messageID: [UInt8]
    /// Milliseconds since 1970.
    package var sentAt: UInt64
    /// Milliseconds since 1970.
    package var expiresAt: UInt64
    /// Whole Ed25519 key: an id could collide.
    package var senderKey: [UInt8]
    package var flags: FrameFlags
    /// UTF-8 JSON.
    package var body: [UInt8]
    /// 64 bytes.
    package var signature: [UInt8]

    package init(
        messageID: [UInt8],
        sentAt: UInt64,
        expiresAt: UInt64,
        senderKey: [UInt8],
        flags: FrameFlags,
        body: [UInt8]
    ) {
        precondition(messageID.count == 16 && senderKey.count == 32)
        self.messageID = messageID
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.senderKey = senderKey
        self.flags = flags
        self.body = body
        signature = [UInt8](repeating: 0, count: 64)
    }

    /// frame[0..<68], the signed part.
    package var head: [UInt8] {
        var head = messageID
        head.append(bigEndian: sentAt)
        head.append(bigEndian: expiresAt)
        head += senderKey
        head.append(bigEndian: flags.rawValue)
        head.append(bigEndian: UInt16(body.count))
        return head
    }

    package func bytes(byteCount: Int) -> [UInt8] {
        precondition(body.count >= Self.bodyByteCountMin && body.count <= byteCount - Self.bodyOffset)
        precondition(signature.count == 64)
        let filled = head + signature + body
        return filled + [UInt8](repeating: 0, count: byteCount - filled.count)
    }

    /// Reads an opened plaintext, of a sender yet unknown.
    package init(bytes: [UInt8]) throws(FrameError) {
        var reader = ByteReader(bytes[...])
        guard let messageID = reader.take(16), let sentAt = reader.take(UInt64.self),
            let expiresAt = reader.take(UInt64.self), let senderKey = reader.take(32),
            let flags = reader.take(UInt16.self), let bodyByteCount = reader.take(UInt16.self),
            let signature = reader.take(64)
        else { throw .tooShort }
        guard bodyByteCount >= Self.bodyByteCountMin, let body = reader.take(Int(bodyByteCount)) else {
            throw .wrongBodyLength
        }
        let padding = bytes[(bytes.endIndex - reader.remainingByteCount)...]
        // Reads every byte, so that timing does not reveal the text's length.
        guard padding.reduce(0, |) == 0 else { throw .paddingNotZero }
        self.init(
            messageID: messageID,
            sentAt: sentAt,
            expiresAt: expiresAt,
            senderKey: senderKey,
            flags: FrameFlags(rawValue: flags),
            body: body
        )
        self.signature = signature
        guard !self.flags.hasUnknownCritical else { throw .unknownCriticalFlag }
    }
}

/// Bits 15..8 are critical: unsupported if unknown. Bits 7..0 may be ignored.
package struct FrameFlags: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Body cut to fit.
    package static let truncated = FrameFlags(rawValue: 1 << 0)
    /// Flags of this version; none is critical.
    package static let known: FrameFlags = [.truncated]

    fileprivate var hasUnknownCritical: Bool { subtracting(.known).rawValue & 0xFF00 != 0 }
}

package enum FrameError: Error, Equatable {
    case tooShort
    case wrongBodyLength
    case paddingNotZero
    case unknownCriticalFlag
}
