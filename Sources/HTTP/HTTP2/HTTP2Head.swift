/// Fields of a message to be sent, until its HEADERS frame is written.
struct HTTP2Head {
    var fields = HeaderBlock()
    /// Nil for a request.
    var status: Int?
    /// Nil: no field, or one among `fields`.
    var contentLength: Int?

    /// Replaces all fields of `block`.
    func write(to block: inout HeaderBlock) {
        guard let status else { return block.replaceAll(with: fields) }
        block.removeAll()
        block.append(":status") { text in Self.append(status, to: &text) }
        block.append(contentsOf: fields)
        if let contentLength { block.append("content-length") { text in Self.append(contentLength, to: &text) } }
    }

    private static func append(_ number: Int, to text: inout [UInt8]) {
        if number > 9 { append(number / 10, to: &text) }
        text.append(UInt8(48 + number % 10))
    }
}
