/// One HTTP/2 frame, byte by byte, so that a server may send what no library would (RFC 9113 section 4.1).
struct FaultFrame: Equatable {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    static let headByteCount = 9
    /// Size that every peer accepts (RFC 9113 section 4.2).
    static let payloadByteCountMax = 1 << 14
    static let endStream: UInt8 = 1
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4

    /// RFC 9113 section 11.2; nil for an unknown kind.
    let kind: Kind?
    let flags: UInt8
    let streamID: Int32
    let payload: [UInt8]
    let bytes: [UInt8]

    init(_ kind: Kind, flags: UInt8 = 0, streamID: Int32 = 0, _ payload: [UInt8]) {
        precondition(payload.count <= Self.payloadByteCountMax)
        self.kind = kind
        self.flags = flags
        self.streamID = streamID
        self.payload = payload
        bytes =
            Self.bigEndian(UInt32(payload.count))[1...] + [kind.rawValue, flags]
            + Self.bigEndian(UInt32(bitPattern: streamID)) + payload
    }

    init(bytes: ArraySlice<UInt8>) {
        let head = Array(bytes.prefix(Self.headByteCount))
        kind = Kind(rawValue: head[3])
        flags = head[4]
        streamID = Int32(truncatingIfNeeded: Self.number(head[5...]) & 0x7FFF_FFFF)
        payload = Array(bytes.dropFirst(Self.headByteCount))
        self.bytes = Array(bytes)
    }

    var isAcknowledgement: Bool { flags & Self.acknowledgement != 0 }
    var endsStream: Bool { (kind == .headers || kind == .data) && flags & Self.endStream != 0 }

    // MARK: Frames of a server

    enum Setting: UInt16 {
        case headerTableSize = 1
        case maxConcurrentStreams = 3
        case initialWindowSize = 4
        case maxFrameSize = 5
        case maxHeaderListSize = 6
    }

    static func settings(_ entries: [(Setting, UInt32)]) -> FaultFrame {
        FaultFrame(.settings, entries.flatMap { bigEndian(UInt32($0.rawValue))[2...] + bigEndian($1) })
    }

    static let settingsAcknowledgement = FaultFrame(.settings, flags: acknowledgement, [])

    static func goAway(lastStreamID: Int32, code: UInt32, _ debugData: [UInt8]) -> FaultFrame {
        FaultFrame(.goAway, bigEndian(UInt32(bitPattern: lastStreamID)) + bigEndian(code) + debugData)
    }

    static func reset(_ streamID: Int32, code: UInt32) -> FaultFrame {
        FaultFrame(.reset, streamID: streamID, bigEndian(code))
    }

    static func windowUpdate(_ streamID: Int32, _ increment: Int) -> FaultFrame {
        FaultFrame(.windowUpdate, streamID: streamID, bigEndian(UInt32(increment)))
    }

    /// Encodes fields as literals without indexing and Huffman coding: no state that a lost frame could break (RFC 7541
    /// section 6.2.2). Names and values below 127 bytes.
    static func headers(_ streamID: Int32, _ fields: [(String, [UInt8])], endsStream: Bool) -> FaultFrame {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.count)] + value
        }
        return FaultFrame(.headers, flags: endHeaders | (endsStream ? endStream : 0), streamID: streamID, block)
    }

    /// Four bytes or fewer.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

struct FaultFrameReader {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var bytes: [UInt8] = []
    private var offset = 0
    private var isPrefaceRead: Bool

    /// - Parameter isPrefaceRead: True for a server's bytes, which have no preface but SETTINGS.
    init(isPrefaceRead: Bool = false) { self.isPrefaceRead = isPrefaceRead }

    mutating func append(_ piece: Span<UInt8>) {
        bytes.removeFirst(offset)
        offset = 0
        for index in piece.indices { bytes.append(piece[index]) }
    }

    /// - Returns: Nil if more bytes are needed.
    /// - Throws: `StreamError` if the peer is not an HTTP/2 client.
    mutating func next() throws(StreamError) -> FaultFrame? {
        if !isPrefaceRead {
            guard bytes.count >= Self.preface.count else { return nil }
            guard bytes.starts(with: Self.preface) else { throw StreamError() }
            offset = Self.preface.count
            isPrefaceRead = true
        }
        let rest = bytes[offset...]
        guard rest.count >= FaultFrame.headByteCount else { return nil }
        let byteCount = FaultFrame.headByteCount + Int(FaultFrame.number(rest.prefix(3)))
        guard byteCount <= FaultFrame.headByteCount + FaultFrame.payloadByteCountMax else { throw StreamError() }
        guard rest.count >= byteCount else { return nil }
        offset += byteCount
        return FaultFrame(bytes: rest.prefix(byteCount))
    }

    struct StreamError: Error {}
}
