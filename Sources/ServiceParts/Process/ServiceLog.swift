package import Envelope

/// Lines of JSON. Never blocks: lines without room are counted and dropped.
package struct ServiceLog: Sendable {
    private let put: @Sendable ([UInt8]) -> Void

    package init(_ put: @escaping @Sendable ([UInt8]) -> Void) { self.put = put }

    package func write(_ lines: [UInt8]) { put(lines) }

    /// No value may be secret.
    package func event(_ event: StaticString, at time: Timestamp, _ members: [(StaticString, String)] = []) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", ISODateTime.text(milliseconds: Int64(clamping: time.milliseconds)))
            writer.member("event", event.description)
            for (name, value) in members { writer.member(name.description, value) }
        }
        put(writer.bytes + [UInt8(ascii: "\n")])
    }
}
