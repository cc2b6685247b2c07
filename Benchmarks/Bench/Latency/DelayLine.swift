import Transport

/// One direction of a long way: bytes come out unchanged, in order, and a fixed time after they went in. No clock inside.
struct DelayLine: ~Copyable {
    enum End: Equatable {
        /// The sender says that no more comes.
        case closed
        /// The sender is gone; what it sent before still arrives.
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
    ///   - delay: of every byte and of the end.
    ///   - byteCountMax: how much may be on its way; less than bandwidth times delay would limit the bandwidth.
    init(delay: Duration, byteCountMax: Int) {
        self.delay = delay
        self.byteCountMax = byteCountMax
    }

    /// How many bytes may come in now.
    var room: Int { end == nil ? max(0, byteCountMax - bytes.byteCount) : 0 }

    /// When there is something to do again, if nothing more comes in; nil: nothing is on its way.
    var nextDue: MonotonicTime? { stretches.first?.due ?? end?.due }

    mutating func append(_ piece: Span<UInt8>, at now: MonotonicTime) {
        precondition(end == nil)
        guard piece.count > 0 else { return }
        bytes.append(piece)
        stretches.append(Stretch(due: now + delay, byteCount: piece.count))
    }

    /// Who has closed may still break; nothing else comes after an end.
    mutating func append(_ kind: End, at now: MonotonicTime) {
        guard end == nil || (end?.kind == .closed && kind == .reset) else { return }
        end = (kind, now + delay)
    }

    /// Lends what has arrived by `now`; `body` says how many bytes of it went on.
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

    /// The end, once it and everything before it has arrived.
    func end(at now: MonotonicTime) -> End? {
        guard let end, end.due <= now, bytes.isEmpty else { return nil }
        return end.kind
    }

    /// Whether something has arrived that has not gone on yet.
    var hasDueBytes: Bool { dueByteCount > 0 }
}
