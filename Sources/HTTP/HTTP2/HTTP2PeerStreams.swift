/// Streams on which the peer may still send HEADERS and DATA.
///
/// nghttp2 silently discards frames on a closed stream. After a peer's own end or reset, later frames are its fault.
/// After this side's reset they may have been on their way, up to the stream's window.
///
/// - Source: RFC 9113 section 5.1, "closed".
struct HTTP2PeerStreams {
    enum Finding {
        case expected
        /// More than can have been on its way at this side's close.
        case excess
        /// The peer has ended, reset or skipped the stream.
        case afterEnd
    }

    private struct Stream {
        let id: UInt32
        /// Frames still allowed; nil while the stream is open here.
        var lateFrameCount: Int?
        /// The peer may send nothing more; it is dropped with others.
        var hasEnded = false
    }

    /// Sorted by id.
    private var streams: [Stream] = []
    private var endedCount = 0
    /// The oldest that has not ended.
    private var first = 0
    private(set) var lastID: UInt32 = 0

    private var closedCount = 0
    /// Streams closed here, which the peer need not close.
    private static let closedCountMax = 1024
    /// nghttp2 does not report the close of new streams after a GOAWAY.
    private static let countMax = 1 << 16
    private static let endedCountMin = 64
    /// Assumed frame size in a closed stream's window.
    private static let lateFrameByteCount: UInt32 = 4096

    mutating func open(_ id: UInt32) {
        guard id > lastID else { return }
        lastID = id
        streams.append(Stream(id: id))
        if streams.count - endedCount > Self.countMax { remove(at: first) }
    }

    mutating func close(_ id: UInt32, windowByteCount: UInt32) {
        guard let index = index(of: id), streams[index].lateFrameCount == nil else { return }
        streams[index].lateFrameCount = Int(max(1, windowByteCount / Self.lateFrameByteCount))
        closedCount += 1
        guard closedCount > Self.closedCountMax,
            let oldest = streams[first...].firstIndex(where: { !$0.hasEnded && $0.lateFrameCount != nil })
        else { return }
        remove(at: oldest)
    }

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

    mutating func end(_ id: UInt32) {
        if let index = index(of: id) { remove(at: index) }
    }

    func isOpen(_ id: UInt32) -> Bool { index(of: id) != nil }

    /// Moves others only when half of all have ended.
    private mutating func remove(at index: Int) {
        if streams[index].lateFrameCount != nil { closedCount -= 1 }
        streams[index].hasEnded = true
        endedCount += 1
        while first < streams.count, streams[first].hasEnded { first += 1 }
        guard endedCount >= Self.endedCountMin, 2 * endedCount >= streams.count else { return }
        streams.removeAll { $0.hasEnded }
        (endedCount, first) = (0, 0)
    }

    private func index(of id: UInt32) -> Int? {
        var (start, end) = (0, streams.count)
        while start < end {
            let middle = (start + end) / 2
            if streams[middle].id < id { start = middle + 1 } else { end = middle }
        }
        guard start < streams.count, streams[start].id == id, !streams[start].hasEnded else { return nil }
        return start
    }
}
