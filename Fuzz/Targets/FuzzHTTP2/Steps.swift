@testable import HTTP

/// Frames out of short steps, so that a fuzzer need not guess lengths: type and preset flags in one byte, the stream in
/// another, the payload's share of the input in a third.
enum Steps {
    static func frames(_ steps: [UInt8], for role: HTTP2Session.Role) -> [UInt8] {
        var wire = role == .server ? Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) : []
        wire += [0, 0, 0, 4, 0, 0, 0, 0, 0]
        var rest = steps[...]
        while rest.count >= 3 {
            let step = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let payload = rest.prefix(Int(step[2] & 0x3F))
            rest = rest.dropFirst(payload.count)
            wire += frame(step, Array(payload), role)
        }
        return wire
    }

    private static func frame(_ step: [UInt8], _ payload: [UInt8], _ role: HTTP2Session.Role) -> [UInt8] {
        let (type, flags) = (step[0] & 0x0F, step[0] >> 4)
        // END_STREAM, END_HEADERS, PADDED and PRIORITY.
        let bits = (flags & 1) | (flags & 2) << 1 | (flags & 4) << 1 | (flags & 8) << 2
        // A whole head, in place of one that a fuzzer would have to compress.
        let isHead = type == 1 && step[2] & 0x40 != 0
        let head: [UInt8] = role == .server ? [0x83, 0x87, 0x84, 0x41, 1, 0x78] : [0x88]
        let contents = isHead ? head + payload : payload
        let stream = type == 4 || type == 6 || type == 7 ? step[1] & 0x80 : step[1] & 0x7F
        return [0, 0, UInt8(contents.count), type, bits, 0, 0, 0, stream] + contents
    }
}
