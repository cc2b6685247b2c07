/// HTTP/2 frames byte by byte (RFC 9113 section 4.1), for peers that break the rules.
package struct RawFrame: Equatable, Sendable {
    package let type: UInt8
    package let flags: UInt8
    package let stream: UInt32
    package let payload: [UInt8]

    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings
    package static let settings = frame(type: 4, flags: 0, stream: 0, [])
    package static let settingsAcknowledgement = frame(type: 4, flags: 1, stream: 0, [])
    package static let ping = frame(type: 6, flags: 0, stream: 0, Array(repeating: 0, count: 8))
    package static let priority = frame(type: 2, flags: 0, stream: 1, [0, 0, 0, 0, 15])

    package init(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8]) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// POST https://x/ with the static table's entries.
    package static func request(stream: UInt32, endsStream: Bool) -> [UInt8] {
        frame(
            type: 1,
            flags: endsStream ? 5 : 4,
            stream: stream,
            [0x83, 0x87, 0x84, 0x01, 1] + Array("x".utf8)
        )
    }

    /// A block of one field, `:status`, not indexed.
    package static func headers(stream: UInt32, status: String, endsStream: Bool) -> [UInt8] {
        frame(type: 1, flags: endsStream ? 5 : 4, stream: stream, [0x08, 3] + Array(status.utf8))
    }

    package static func data(stream: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        frame(type: 0, flags: 0, stream: stream, bytes)
    }

    package static func reset(stream: UInt32) -> [UInt8] {
        frame(type: 3, flags: 0, stream: stream, [0, 0, 0, 8])
    }

    package static func windowUpdate(stream: UInt32, _ increment: UInt32) -> [UInt8] {
        frame(type: 8, flags: 0, stream: stream, bigEndian(increment))
    }

    package static func frame(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        Array(bigEndian(UInt32(payload.count))[1...]) + [type, flags] + bigEndian(stream) + payload
    }

    package static func parse(_ bytes: [UInt8]) -> [RawFrame] {
        var frames: [RawFrame] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let byteCount = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard rest.count >= 9 + byteCount else { break }
            let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
            let payload = Array(rest.dropFirst(9).prefix(byteCount))
            frames.append(RawFrame(type: head[3], flags: head[4], stream: stream, payload: payload))
            rest = rest.dropFirst(9 + byteCount)
        }
        return frames
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
