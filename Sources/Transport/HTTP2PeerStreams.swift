/// Streams on which a peer may still send HEADERS and DATA, judged by what it has sent itself.
///
/// nghttp2 forgets a stream that has closed, and discards without a word what still comes on it. A peer that has ended or
/// reset a stream knows that: nothing that it sends there later was on its way before. What comes on a stream that this side
/// has reset may have been, for as much as the stream's window held.
///
/// - Source: RFC 9113 section 5.1, "closed".
struct HTTP2PeerStreams {
    /// What a frame on a stream is.
    enum Finding {
        case expected
        /// This side has closed the stream, and more has come than can have been on its way.
        case excess
        /// The peer has ended or reset the stream, or has never opened it and a later one instead.
        case afterEnd
    }

    private struct Stream {
        let id: UInt32
        /// Frames that may still come; nil while the stream is open on this side.
        var lateFrameCount: Int?
    }

    /// In the order of their numbers.
    private var streams: [Stream] = []
    private(set) var lastID: UInt32 = 0

    private var closedCount = 0
    /// Streams that this side has closed and the peer has not. A peer that keeps to the rules leaves each of them so.
    private static let closedCountMax = 1024
    /// Of all. Behind a GOAWAY nghttp2 drops new streams, and does not say that they have closed.
    private static let countMax = 1 << 16
    /// In what pieces the window of a closed stream may have been filled.
    private static let lateFrameByteCount: UInt32 = 4096

    /// A stream begins: the peer's at a server, our own at a client.
    mutating func open(_ id: UInt32) {
        guard id > lastID else { return }
        lastID = id
        streams.append(Stream(id: id))
        if streams.count > Self.countMax { remove(at: 0) }
    }

    /// This side is done with a stream. Harmless for one that the peer has ended.
    mutating func close(_ id: UInt32, windowByteCount: UInt32) {
        guard let index = index(of: id), streams[index].lateFrameCount == nil else { return }
        streams[index].lateFrameCount = Int(max(1, windowByteCount / Self.lateFrameByteCount))
        closedCount += 1
        guard closedCount > Self.closedCountMax, let oldest = streams.firstIndex(where: { $0.lateFrameCount != nil })
        else {
            return
        }
        remove(at: oldest)
    }

    /// HEADERS or DATA.
    mutating func receive(on id: UInt32, endsStream: Bool) -> Finding {
        guard let index = index(of: id) else { return id > lastID ? .expected : .afterEnd }
        let lateFrameCount = streams[index].lateFrameCount
        if endsStream {
            remove(at: index)
        } else if let lateFrameCount {
            streams[index].lateFrameCount = max(0, lateFrameCount - 1)
        }
        return lateFrameCount == 0 ? .excess : .expected
    }

    /// RST_STREAM.
    mutating func end(_ id: UInt32) {
        if let index = index(of: id) { remove(at: index) }
    }

    /// Whether the peer has not ended the stream.
    func isOpen(_ id: UInt32) -> Bool { index(of: id) != nil }

    private mutating func remove(at index: Int) {
        if streams.remove(at: index).lateFrameCount != nil { closedCount -= 1 }
    }

    private func index(of id: UInt32) -> Int? {
        var (start, end) = (0, streams.count)
        while start < end {
            let middle = (start + end) / 2
            if streams[middle].id < id { start = middle + 1 } else { end = middle }
        }
        return start < streams.count && streams[start].id == id ? start : nil
    }
}
