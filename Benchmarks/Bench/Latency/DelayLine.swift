import Networking

/// One direction of a long path: bytes come out unchanged, in order, and a fixed time after they went in. No clock
/// inside.
struct DelayLine: ~Copyable {
    enum End: Equatable {
        /// The sender has ended its side.
        case closed
        /// The sender is gone; its earlier bytes still arrive.
        case reset
    }

    private struct Stretch {
        let due: MonotonicTime
        let byteCount: Int
    }

    private let delay: Duration
    private let byteCountMax: Int
    private var bytes = ByteQueue()
    private var stretches = RingBuffer<Stretch>()
    private var dueByteCount = 0
    private var end: (kind: End, due: MonotonicTime)?

    /// - Parameters:
    ///   - delay: Delay of every byte and of the end.
    ///   - byteCountMax: Maximum in transit; less than bandwidth times delay limits the bandwidth.
    init(delay: Duration, byteCountMax: Int) {
        self.delay = delay
        self.byteCountMax = byteCountMax
    }

    /// Bytes accepted now.
    var room: Int { end == nil ? max(0, byteCountMax - bytes.byteCount) : 0 }

    /// Time of the next arrival; nil if nothing is in transit.
    var nextDue: MonotonicTime? { stretches.first?.due ?? end?.due }

    mutating func append(_ piece: Span<UInt8>, at now: MonotonicTime) {
        precondition(end == nil)
        guard piece.count > 0 else { return }
        bytes.append(piece)
        stretches.append(Stretch(due: now + delay, byteCount: piece.count))
    }

    /// Appends an end. Only a reset may follow a close.
    mutating func append(_ kind: End, at now: MonotonicTime) {
        guard end == nil || (end?.kind == .closed && kind == .reset) else { return }
        end = (kind, now + delay)
    }

    /// Lends the bytes that have arrived by `now`; `body` returns the number it has passed on.
    mutating func deliver(at now: MonotonicTime, _ body: (Span<UInt8>) -> Int) {
        while let stretch = stretches.first, stretch.due <= now {
            dueByteCount += stretch.byteCount
            _ = stretches.popFirst()
        }
        guard dueByteCount > 0 else { return }
        let count = bytes.withBytes { bytes in body(bytes.extracting(first: dueByteCount)) }
        bytes.removeFirst(count)
        dueByteCount -= count
    }

    /// The end, once it and everything before it have arrived.
    func end(at now: MonotonicTime) -> End? {
        guard let end, end.due <= now, bytes.isEmpty else { return nil }
        return end.kind
    }

    /// True while arrived bytes have not been passed on.
    var hasDueBytes: Bool { dueByteCount > 0 }
}
