import Primitives

/// Random bytes that are no secret, such as those of ids: drawn from the system many at a time, because each draw is a call of
/// the system's. A value; whoever copies it draws the same bytes.
struct RandomReserve: RandomSource {
    static let byteCount = 1_024

    private var source = SystemRandom()
    private var drawn: [UInt8] = []
    /// Of them, those that were given out.
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
