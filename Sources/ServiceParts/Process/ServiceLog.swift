package import Envelope

package enum LogLevel: String, Sendable {
    case info
    /// Failed push, call or tenant.
    case warning
    /// Work that waits for an operator.
    case error
}

/// Value of a member: a number is JSON's number.
package protocol LogValue: Sendable {
    func write(as name: StaticString, to writer: inout JSONWriter)
}

extension String: LogValue {
    package func write(as name: StaticString, to writer: inout JSONWriter) { writer.member(name.description, self) }
}

extension Int: LogValue {
    package func write(as name: StaticString, to writer: inout JSONWriter) { writer.member(name.description, self) }
}

/// Lines of JSON. Never blocks: lines without room are counted and dropped.
package struct ServiceLog: Sendable {
    package typealias Member = (StaticString, any LogValue)

    private let put: @Sendable ([UInt8]) -> Void

    package init(_ put: @escaping @Sendable ([UInt8]) -> Void) { self.put = put }

    package func write(_ lines: [UInt8]) { put(lines) }

    /// No value may be secret.
    package func event(
        _ event: StaticString,
        _ level: LogLevel = .info,
        at time: Timestamp,
        _ members: [Member] = []
    ) {
        put(Self.line(event, level, at: time, members))
    }

    static func line(_ event: StaticString, _ level: LogLevel, at time: Timestamp, _ members: [Member]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", ISODateTime.text(milliseconds: Int64(clamping: time.milliseconds)))
            writer.member("level", level.rawValue)
            writer.member("event", event.description)
            for (name, value) in members { value.write(as: name, to: &writer) }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
