import FuzzSupport

@testable import HTTP
@testable import Networking

/// The scanner that reads frames before nghttp2 does, against a reader that has all of the bytes at once.
///
/// The first byte chooses the role, and steps or the bytes of the wire; the second is the length of the pieces. A step
/// has five bytes and makes one frame: type, flags, stream, two bytes of length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP2Frames(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard input.bytes.count >= 2 else { return 0 }
    let role: HTTP2Session.Role = input.selector & 2 == 0 ? .server : .client
    let wire = input.selector & 1 == 0 ? Array(input.bytes.dropFirst(2)) : frames(input.bytes[2...], for: role)
    let scanned = scan(wire, role, pieceByteCount: max(1, Int(input.bytes[1])))
    require(scan(wire, role, pieceByteCount: max(1, wire.count)) == scanned, "the same findings, whatever the pieces")
    require(expected(of: wire, role) == scanned, "the findings of a reader that has all of it")
    return 0
}

private func frames(_ steps: ArraySlice<UInt8>, for role: HTTP2Session.Role) -> [UInt8] {
    var (wire, steps) = ([UInt8](repeating: 0x50, count: role == .server ? 24 : 0), steps)
    while steps.count >= 5 {
        let step = Array(steps.prefix(5))
        steps = steps.dropFirst(5)
        // Up to 16 KiB, as the settings allow.
        let byteCount = Int(step[3] & 0x3F) << 8 | Int(step[4])
        wire += [0, step[3] & 0x3F, step[4], step[0], step[1], 0, 0, 0, step[2]]
        wire += [UInt8](repeating: 0, count: byteCount)
    }
    return wire
}

private let settings = {
    var settings = HTTP2Settings()
    // At most two frames are on their way to a stream that was reset.
    settings.initialWindowByteCount = 8192
    return settings
}()

/// A client's requests. It has reset the first two.
private let requests: [UInt32] = [1, 3, 5, 7]
private let resetRequests: [UInt32] = [1, 3]
private let lateFrameCount = Int(settings.initialWindowByteCount / 4096)

private struct Scanned: Equatable {
    var idleFrameCount = 0
    var windowUpdateCount = 0
    var isAfterEnd = false
    var isBlockTooLarge = false
    var isInBlock = false
}

private func scan(_ wire: [UInt8], _ role: HTTP2Session.Role, pieceByteCount: Int) -> Scanned {
    var (scanner, scanned) = (HTTP2FrameScanner(role), Scanned())
    if role == .client {
        for id in requests { scanner.peerStreams.open(id) }
        for id in resetRequests { scanner.peerStreams.close(id, windowByteCount: settings.initialWindowByteCount) }
    }
    for start in stride(from: 0, to: wire.count, by: pieceByteCount) {
        let piece = Array(wire[start..<min(start + pieceByteCount, wire.count)])
        let findings = scanner.scan(piece.span, settings: settings, now: MonotonicTime(nanoseconds: 0))
        scanned.idleFrameCount += findings.idleFrameCount
        scanned.windowUpdateCount += findings.windowUpdateCount
        scanned.isAfterEnd = scanned.isAfterEnd || findings.isAfterEnd
        scanned.isBlockTooLarge = scanned.isBlockTooLarge || findings.isBlockTooLarge
    }
    scanned.isInBlock = scanner.blockBegan != nil
    return scanned
}

/// The expected scan, by RFC 9113 sections 3.4, 4.1, 5.1 and 6, without a state machine.
private func expected(of wire: [UInt8], _ role: HTTP2Session.Role) -> Scanned {
    var (scanned, rest) = (Scanned(), wire.dropFirst(role == .server ? 24 : 0))
    var (blockByteCount, continuationCount) = (0, 0)
    var streams = Streams(role)
    while rest.count >= 9 {
        let head = Array(rest.prefix(9))
        let byteCount = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let (type, flags) = (head[3], head[4])
        if type == 1 { (blockByteCount, continuationCount, scanned.isInBlock) = (byteCount, 0, true) }
        if type == 9 { (blockByteCount, continuationCount) = (blockByteCount + byteCount, continuationCount + 1) }
        if type == 0 && byteCount == 0 && flags & 1 == 0 || type > 9 { scanned.idleFrameCount += 1 }
        streams.receive(type, flags, head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF, &scanned)
        if blockByteCount > settings.headerBlockByteCountMax || continuationCount > settings.continuationCountMax {
            scanned.isBlockTooLarge = true
        }
        let isWhole = rest.count - 9 >= byteCount
        if isWhole, type == 1 || type == 9, flags & 4 != 0 {
            (blockByteCount, continuationCount, scanned.isInBlock) = (0, 0, false)
        }
        rest = rest.dropFirst(9 + byteCount)
    }
    return scanned
}

/// The streams on which the peer may still send, as sets.
private struct Streams {
    private let role: HTTP2Session.Role
    private var open: Set<UInt32> = []
    private var late: [UInt32: Int] = [:]
    private var last: UInt32 = 0

    init(_ role: HTTP2Session.Role) {
        self.role = role
        guard role == .client else { return }
        open = Set(requests)
        last = requests.max() ?? 0
        for id in resetRequests { late[id] = lateFrameCount }
    }

    mutating func receive(_ type: UInt8, _ flags: UInt8, _ id: UInt32, _ scanned: inout Scanned) {
        let isOdd = id % 2 == 1
        switch type {
        case 0, 1:
            guard isOdd else { return }
            if type == 1, role == .server, id > last { (last, open) = (id, open.union([id])) }
            guard id <= last else { return }
            guard open.contains(id) else { return scanned.isAfterEnd = true }
            if late[id] == 0 { scanned.idleFrameCount += 1 }
            late[id] = late[id].map { max(0, $0 - 1) }
            if flags & 1 == 1 { open.remove(id) }
        case 3: open.remove(id)
        case 8: if role == .server || isOdd && !open.contains(id) { scanned.windowUpdateCount += 1 }
        default: break
        }
    }
}
