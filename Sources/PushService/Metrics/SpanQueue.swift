import ServiceParts

/// Spans that wait for their collector. Drops new ones beyond the limit.
package struct SpanQueue: Sendable {
    package static let countMax = 4_096

    private var spans: [TraceSpan] = []
    private var sentCount: UInt64 = 0
    private var droppedCount: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { spans.isEmpty }

    package mutating func add(_ span: TraceSpan) {
        guard spans.count < Self.countMax else {
            droppedCount &+= 1
            return
        }
        spans.append(span)
    }

    /// Removes the oldest.
    package mutating func take(_ countMax: Int) -> [TraceSpan] {
        let taken = Array(spans.prefix(countMax))
        spans.removeFirst(taken.count)
        return taken
    }

    package mutating func didSend(_ count: Int, isTaken: Bool) {
        if isTaken { sentCount &+= UInt64(count) } else { droppedCount &+= UInt64(count) }
    }

    package func append(to text: inout [UInt8]) {
        let name: StaticString = "sealedpush_spans_total"
        MetricsText.series(&text, name, "counter", "Spans for the collector, by outcome.") { text in
            MetricsText.line(&text, name, [("outcome", "sent")], sentCount)
            MetricsText.line(&text, name, [("outcome", "dropped")], droppedCount)
        }
    }
}
