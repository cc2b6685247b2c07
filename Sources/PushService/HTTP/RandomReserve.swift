import Primitives

/// Buffered random bytes, no secrets: each draw is a system call. A copy yields the same bytes.
struct RandomReserve: RandomSource {
    static let byteCount = 1_024

    private var source = SystemRandom()
    private var drawn: [UInt8] = []
    private var usedCount = 0

    mutating func fill(_ span: inout MutableRawSpan) {
        guard span.byteCount <= Self.byteCount else { return source.fill(&span) }
        if drawn.count - usedCount < span.byteCount {
            drawn = source.bytes(count: Self.byteCount)
            usedCount = 0
        }
        let end = usedCount + span.byteCount
        unsafe span.write(drawn.span.bytes.extracting(usedCount..<end), at: 0)
        usedCount = end
    }
}
