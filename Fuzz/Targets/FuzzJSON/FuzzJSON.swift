import Envelope
import FuzzSupport

/// The strict parser: an accepted value can be written, read again, and is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let limits = JSONParser.Limits(
        byteCountMax: 4_096,
        depthMax: input.selector & 2 == 0 ? 8 : 64,
        allowsFractions: input.selector & 1 == 0
    )
    do {
        let value = try JSONParser.parse(input.rest, limits: limits)
        let written = text(of: value)
        let again = JSONParser.Limits(
            byteCountMax: written.count,
            depthMax: limits.depthMax,
            allowsFractions: limits.allowsFractions
        )
        let reread = try JSONParser.parse(written, limits: again)
        require(isSame(value, reread), "what was written reads as the same value")
        require(text(of: reread) == written, "one value has one text")
    } catch {
        // If the written text were refused, the error would be the second parse's.
        require(error.offset <= max(input.rest.count, limits.byteCountMax), "a fault lies in the text")
        require(!wasAccepted(input.rest, limits), "what was written can be read")
        let (line, column) = JSONError.position(of: error.offset, in: input.rest)
        require(line >= 1 && column >= 1, "lines and columns count from 1")
    }
    return 0
}

private func wasAccepted(_ text: [UInt8], _ limits: JSONParser.Limits) -> Bool {
    do {
        _ = try JSONParser.parse(text, limits: limits)
        return true
    } catch {
        return false
    }
}

private func text(of value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    write(value, to: &writer)
    return writer.bytes
}

private func write(_ value: JSONValue, to writer: inout JSONWriter) {
    switch value.content {
    case .null: writer.raw(Array("null".utf8))
    case .bool(let flag): writer.raw(Array((flag ? "true" : "false").utf8))
    case .integer(let number): writer.integer(number)
    case .fraction(let text): writer.raw(Array(text.utf8))
    case .string(let text): writer.string(text)
    case .array(let elements):
        writer.array { writer in
            for element in elements { write(element, to: &writer) }
        }
    case .object(let members):
        writer.object { writer in
            for member in members {
                writer.name(member.name)
                write(member.value, to: &writer)
            }
        }
    }
}

/// Compares values, not their offsets; texts byte for byte.
private func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one.content, other.content) {
    case (.string(let one), .string(let other)), (.fraction(let one), .fraction(let other)):
        one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one.elementsEqual(other, by: isSame)
    case (.object(let one), .object(let other)):
        one.elementsEqual(other) { $0.name.utf8.elementsEqual($1.name.utf8) && isSame($0.value, $1.value) }
    default: one.content == other.content
    }
}
