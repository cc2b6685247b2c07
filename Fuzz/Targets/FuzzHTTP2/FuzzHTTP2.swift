import FuzzSupport

@testable import HTTP

/// The bytes of an HTTP/2 session's peer, to a server or to a client with requests under way.
///
/// The first byte chooses the role and whether the rest is the wire's bytes or steps (`Steps`); the second is the
/// length of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP2(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard input.bytes.count >= 2 else { return 0 }
    let role: HTTP2Session.Role = input.selector & 1 == 0 ? .server : .client
    let rest = Array(input.bytes.dropFirst(2))
    let wire = input.selector & 2 == 0 ? rest : Steps.frames(rest, for: role)
    let pieceByteCount = max(1, Int(input.bytes[1]))
    checkSplit(wire, role, hasBudget: input.selector & 4 != 0, pieceByteCount: pieceByteCount)
    var live = Peer(role, hasBudget: input.selector & 4 != 0, answers: true)
    live.hear(wire, pieceByteCount: pieceByteCount)
    live.end()
    return 0
}

/// Checks that a session that only listens reports the same for any pieces. Losses by a flood or a connection's end are
/// not compared: a server scans each piece as a whole before it acts on any of it, so that late frames on a stream that
/// it resets within the piece do not count, and nghttp2 reads a piece to its end behind a GOAWAY.
private func checkSplit(_ wire: [UInt8], _ role: HTTP2Session.Role, hasBudget: Bool, pieceByteCount: Int) {
    var whole = Peer(role, hasBudget: hasBudget, answers: false)
    whole.hear(wire, pieceByteCount: max(1, wire.count))
    var split = Peer(role, hasBudget: hasBudget, answers: false)
    split.hear(wire, pieceByteCount: pieceByteCount)
    if !whole.isCutOff, !split.isCutOff {
        let (one, other) = (whole.reported, split.reported)
        let isGoAway = one.contains(.goAway)
        let isSame = isGoAway ? one.starts(with: other) || other.starts(with: one) : one == other
        require(isSame, "the same events, whatever the pieces")
        require(isGoAway || whole.hasFailed == split.hasFailed, "the same failure, whatever the pieces")
    }
    whole.end()
    split.end()
}
