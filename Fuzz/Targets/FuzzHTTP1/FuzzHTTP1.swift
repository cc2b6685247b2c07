import FuzzSupport

@testable import HTTP

/// The bytes of one client's connection of HTTP/1.1, in pieces of any length.
///
/// The second byte is the length of the pieces; 0: all comes at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP1(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard input.bytes.count >= 2 else { return 0 }
    let pieceByteCount = input.bytes[1] == 0 ? Int.max : Int(input.bytes[1])
    let bytes = Array(input.bytes.dropFirst(2))
    switch input.selector & 1 {
    case 0: checkHead(bytes)
    default: checkConnection(bytes, pieceByteCount: pieceByteCount)
    }
    return 0
}

// MARK: One head

private let fieldCountMax = 24

/// Checks that an accepted head keeps its meaning when it is written anew, and ends where every reader finds its end.
private func checkHead(_ bytes: [UInt8]) {
    var whole = HTTP1HeadEnd()
    let finding = whole.find(in: bytes.span)
    require(piecewise(bytes) == finding, "a head ends in the same place however its bytes come")
    guard case .head(let byteCount) = finding else { return }
    let head = Array(bytes[..<byteCount])
    require(head.suffix(2) == [0x0D, 0x0A], "a head ends with an empty line")
    guard let read = try? HTTP1RequestHead(head, fieldCountMax: fieldCountMax),
        HTTPHead(fields: read.fields, remoteAddress: nil).refusal == nil
    else { return }
    checkFields(read)
    let written = text(of: read, isVersion10: isVersion10(head))
    guard let again = try? HTTP1RequestHead(written, fieldCountMax: fieldCountMax) else {
        return require(false, "what was read can be written and read again")
    }
    require(again.fields == read.fields, "the same fields")
    require(
        again.bodyByteCount == read.bodyByteCount && again.closes == read.closes
            && again.expectsContinue == read.expectsContinue,
        "the same body, and the same end of the connection"
    )
}

private func piecewise(_ bytes: [UInt8]) -> HTTP1HeadEnd.Finding {
    var end = HTTP1HeadEnd()
    for count in 0...bytes.count {
        let finding = end.find(in: bytes.span.extracting(first: count))
        if finding != .incomplete { return finding }
    }
    return .incomplete
}

/// Checks that an accepted head has nothing that two readers could disagree about (RFC 9112 section 11.2).
private func checkFields(_ head: HTTP1RequestHead) {
    require(head.fields.count <= fieldCountMax + 2, "no more fields than there may be")
    require(head.fields.count(of: "content-length") <= 1, "one length at most")
    require(head.fields["transfer-encoding"] == nil, "no coding")
    require(head.fields.count(of: "host") <= 1, "one host at most")
    for index in 0..<head.fields.count {
        let field = head.fields[index]
        require(!field.name.isEmpty, "every field has a name")
        require(!field.name.contains { $0 <= 0x20 || $0 >= 0x7F }, "a name is visible ASCII")
        require(!field.name.contains { (0x41...0x5A).contains($0) }, "a name is in lower case")
        guard field.name.first != UInt8(ascii: ":") else { continue }
        require(!field.value.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }, "no line ends within a value")
        let ends = [field.value.first, field.value.last]
        require(!ends.contains { $0 == 0x20 || $0 == 0x09 }, "no blank around a value")
    }
}

private func isVersion10(_ head: [UInt8]) -> Bool {
    head.prefix { $0 != 0x0A }.dropLast().suffix(8).elementsEqual("HTTP/1.0".utf8)
}

private func text(of head: HTTP1RequestHead, isVersion10: Bool) -> [UInt8] {
    var text = Array(head.fields[":method"] ?? []) + [0x20] + (head.fields[":path"] ?? [])
    text += (isVersion10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n").utf8
    for index in 0..<head.fields.count {
        let field = head.fields[index]
        guard field.name.first != UInt8(ascii: ":") else { continue }
        text += field.name + Array(": ".utf8) + field.value + Array("\r\n".utf8)
    }
    return text + Array("\r\n".utf8)
}

// MARK: A connection

/// Checks that requests, bodies and answers do not depend on the pieces, and that a served request, written anew, is
/// served again.
private func checkConnection(_ bytes: [UInt8], pieceByteCount: Int) {
    let whole = Conversation(bytes, pieceByteCount: .max)
    let split = Conversation(bytes, pieceByteCount: pieceByteCount)
    require(split.requests == whole.requests, "the same requests, whatever the pieces")
    // A head that is both malformed and too long is refused for the fault that is seen first.
    let isShort = bytes.count <= Conversation.limits.headerByteCountMax
    require(!isShort || split.answers == whole.answers, "the same answers, whatever the pieces")
    require(split.isClosed == whole.isClosed, "the connection ends, or not, whatever the pieces")
    require(whole.budgetByteCount == 0 && split.budgetByteCount == 0, "all memory of bodies is given back")
    require(whole.heldByteCount <= Conversation.limits.headerByteCountMax + bytes.count, "what waits is bounded")
    // Version 1.0 needs no host, and its connection would end with the first.
    let served = whole.requests.filter { $0.body != nil && $0.fields["host"] != nil }
    let again = Conversation(served.flatMap(\.bytes), pieceByteCount: .max)
    require(
        again.requests.map(\.meaning) == served.map(\.meaning),
        "what was served is served again when it is written anew"
    )
}
