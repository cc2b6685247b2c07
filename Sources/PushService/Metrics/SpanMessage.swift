import Envelope
import Platform
import PushStore

/// Spans as OTLP's `ExportTraceServiceRequest`, in protobuf.
///
/// - Source: OpenTelemetry, `opentelemetry/proto/collector/trace/v1/trace_service.proto` and its imports.
package enum SpanMessage {
    package static let contentType = "application/x-protobuf"

    package static func bytes(_ spans: [TraceSpan]) -> [UInt8] {
        var request = ProtobufWriter()
        request.message(1) { resourceSpans in
            resourceSpans.message(1) { resource in
                attribute(&resource, 1, "service.name", .text("sealedpushd"))
                attribute(&resource, 1, "service.version", .text(ReleaseVersion.text))
            }
            resourceSpans.message(2) { scopeSpans in
                scopeSpans.message(1) { $0.text(1, "sealedpushd") }
                for span in spans { scopeSpans.message(2) { write(span, to: &$0) } }
            }
        }
        return request.bytes
    }

    private static func write(_ span: TraceSpan, to message: inout ProtobufWriter) {
        message.bytes(1, span.parent.traceID)
        message.bytes(2, bigEndian(span.id))
        message.bytes(4, span.parent.parentID)
        message.text(5, span.name.description)
        message.number(6, span.kind.rawValue)
        let (end, overflow) = span.end.milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let last = overflow ? UInt64.max : end
        message.fixed(7, last - min(last, span.nanoseconds))
        message.fixed(8, last)
        for one in span.attributes { attribute(&message, 9, one.name, one.value) }
        // `STATUS_CODE_ERROR`.
        if span.isError { message.message(15) { $0.number(3, 2) } }
    }

    private static func attribute(
        _ message: inout ProtobufWriter,
        _ field: UInt64,
        _ name: StaticString,
        _ value: TraceSpan.Value
    ) {
        message.message(field) { pair in
            pair.text(1, name.description)
            pair.message(2) { any in
                switch value {
                case .text(let text): any.text(1, text)
                case .number(let number): any.number(3, UInt64(bitPattern: Int64(number)))
                }
            }
        }
    }

    private static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}

/// - Source: Protocol Buffers, "Encoding".
private struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    mutating func fixed(_ field: UInt64, _ value: UInt64) {
        varint(field << 3 | 1)
        for place: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func text(_ field: UInt64, _ value: String) { bytes(field, Array(value.utf8)) }

    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        bytes(field, inner.bytes)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
