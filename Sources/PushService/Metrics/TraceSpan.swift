package import Envelope
package import PushStore

/// Step of a notification in a sampled trace.
///
/// - Source: OpenTelemetry, `opentelemetry/proto/trace/v1/trace.proto`.
package struct TraceSpan: Sendable {
    /// `SpanKind`.
    package enum Kind: UInt64, Sendable {
        case server = 2
        case client = 3
    }

    package enum Value: Equatable, Sendable {
        case text(String)
        case number(Int)
    }

    package typealias Attribute = (name: StaticString, value: Value)

    let name: StaticString
    let kind: Kind
    /// Caller's span.
    let parent: TraceContext
    let end: Timestamp
    let nanoseconds: UInt64
    let isError: Bool
    let attributes: [Attribute]
    /// 0 is no id.
    let id = UInt64.random(in: 1 ... .max)

    package init(
        _ name: StaticString,
        _ kind: Kind,
        in parent: TraceContext,
        end: Timestamp,
        nanoseconds: Int64,
        isError: Bool = false,
        _ attributes: [Attribute]
    ) {
        self.name = name
        self.kind = kind
        self.parent = parent
        self.end = end
        self.nanoseconds = UInt64(max(0, nanoseconds))
        self.isError = isError
        self.attributes = attributes
    }
}
