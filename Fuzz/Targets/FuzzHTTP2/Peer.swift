import FuzzSupport

@testable import HTTP
@testable import Networking

/// A session, its reports, and rules that no peer may make it break.
struct Peer {
    private static let settings = {
        var settings = HTTP2Settings()
        settings.maxConcurrentStreams = 8
        settings.initialWindowByteCount = 1 << 16
        settings.connectionWindowByteCount = 1 << 17
        settings.headerListByteCountMax = 1000
        settings.headerFieldCountMax = 12
        settings.bodyByteCountMax = 100
        settings.bodyByteCountHardMax = 300
        settings.resets = FloodLimit(burst: 20, perSecond: 1)
        settings.idleFrames = FloodLimit(burst: 40, perSecond: 1)
        return settings
    }()
    private static let requestCount = 4
    private static let now = MonotonicTime(nanoseconds: 0)

    private let session: HTTP2Session
    private let budget: HTTPBodyBudget?
    private let answers: Bool
    /// Reports by slot, since it was last free.
    private var slots: [Int: [Kind]] = [:]
    private(set) var reported: [HTTP2Session.Event] = []
    private(set) var isCutOff = false
    private(set) var hasFailed = false

    private enum Kind { case head, message, refused, broken }

    init(_ role: HTTP2Session.Role, hasBudget: Bool, answers: Bool) {
        budget = role == .server && hasBudget ? HTTPBodyBudget(keyed: 400, keyless: 400, network: 400) : nil
        self.answers = answers
        guard
            let session = try? HTTP2Session(role: role, settings: Self.settings, bodyBudget: budget, now: Self.now)
        else { fatalError("no memory") }
        self.session = session
        if role == .client { ask() }
        flush()
    }

    private func ask() {
        for number in 0..<Self.requestCount {
            var headers = HeaderBlock()
            headers.append(":method", "POST")
            headers.append(":scheme", "https")
            headers.append(":authority", "x")
            headers.append(":path", "/")
            let body = [UInt8](repeating: 1, count: number * 100)
            guard (try? session.submitRequest(headers, body: body)) != nil else { fatalError("no memory") }
        }
    }

    mutating func hear(_ wire: [UInt8], pieceByteCount: Int) {
        for start in stride(from: 0, to: wire.count, by: pieceByteCount) where !hasFailed {
            let piece = Array(wire[start..<min(start + pieceByteCount, wire.count)])
            do throws(HTTP2Error) { try session.receive(piece.span, now: Self.now) } catch { didFail(error) }
            guard answers else { continue }
            takeEvents()
            flush()
            if !session.isAlive || session.isEnding { break }
        }
        // Slots are free when their last event has been taken: all at once, so that each stream has one of its own.
        takeEvents()
        checkBounds()
    }

    /// Handles a failure. nghttp2 counts the pieces in which a CONTINUATION's nine bytes of head come as frames, and
    /// ends at the ninth.
    private mutating func didFail(_ error: HTTP2Error) {
        hasFailed = true
        if error == .library(call: "session_mem_recv", code: -905) { isCutOff = true }
    }

    /// Ends the connection: every resource goes back.
    mutating func end() {
        flush()
        takeEvents()
        session.discardBodies()
        require(budget?.byteCount ?? 0 == 0, "all memory of bodies is given back")
        for slot in 0..<session.slotCount where session.streamID(slot) == 0 {
            require(slots[slot] == nil, "a free slot has had its last event")
        }
    }

    // MARK: Rules

    private mutating func takeEvents() {
        while let event = session.nextEvent() {
            reported.append(event)
            take(event)
            checkBounds()
        }
    }

    private mutating func take(_ event: HTTP2Session.Event) {
        switch event {
        case .head(let slot):
            require(slots[slot, default: []].isEmpty, "a request begins once")
            slots[slot, default: []].append(.head)
            check(session.takeMessage(slot))
            _ = session.keepBody(slot, byteCountMax: 200, .keyless(network: []))
        case .message(let slot):
            require(!slots[slot, default: []].contains(.message), "a message is whole once")
            require(budget == nil || slots[slot, default: []].contains(.head), "a request begins before it is whole")
            slots[slot, default: []].append(.message)
            finish(slot)
        case .bodyRefused(let slot, _):
            require(!slots[slot, default: []].contains(.refused), "a body is refused once")
            slots[slot, default: []].append(.refused)
        case .bodyTooLarge(let slot), .malformed(let slot): slots[slot, default: []].append(.broken)
        case .closed(let slot, _): slots[slot] = nil
        case .flooded, .ended: isCutOff = true
        case .settings, .goAway, .pong: break
        }
    }

    private mutating func finish(_ slot: Int) {
        if budget == nil { check(session.takeMessage(slot)) } else { _ = session.takeBody(slot) }
        guard answers, session.role == .server, !session.isEnding, session.streamID(slot) != 0 else { return }
        let body = [UInt8](repeating: 2, count: slot * 50)
        do throws(HTTP2Error) {
            try session.submitResponse(
                slot,
                status: 200,
                headers: HeaderBlock(),
                contentLength: body.count,
                body: .bytes(body)
            )
        } catch { hasFailed = true }
    }

    private func check(_ message: HTTP2Session.Message) {
        let settings = Self.settings
        let byteCount = message.headers.reduce(0) { $0 + $1.name.count + $1.value.count + 32 }
        require(byteCount <= settings.headerListByteCountMax, "no more of a head is kept than may be")
        require(message.headers.count <= settings.headerFieldCountMax, "no more fields are kept than may be")
        require(message.body.count <= settings.bodyByteCountMax, "no more of a body is kept than may be")
        require([0, message.bodyByteCount].contains(message.body.count), "a body is kept whole or not at all")
        let hasStatus = session.role == .client && !message.isHeaderTooLarge
        require(!hasStatus || (100...999).contains(message.status), "a status has three digits")
        let isNamed = message.headers.allSatisfy { field in
            !field.name.isEmpty && !field.name.contains { (0x41...0x5A).contains($0) || $0 <= 0x20 }
        }
        require(isNamed, "names are in lower case")
        guard session.role == .server, !message.isHeaderTooLarge else { return }
        require(message.headers.count(of: ":method") == 1, "a request has one method")
        require(message.headers.count(of: ":authority") <= 1, "a request has one authority at most")
    }

    private func checkBounds() {
        let count = session.role == .server ? Int(Self.settings.maxConcurrentStreams) : Self.requestCount
        require(session.openStreamCount <= count, "no more streams are open than may be")
        // Ended ones keep their slots until their last event has been taken.
        if answers { require(session.slotCount <= 64, "slots are used again") }
        require(budget?.byteCount ?? 0 <= 400, "bodies have no more memory than there is")
    }

    // MARK: Bytes out

    /// Checks that only whole frames go out, none above the size that the peer may get.
    private mutating func flush() {
        var queue = ByteQueue()
        do throws(HTTP2Error) { try session.send(into: &queue, byteCountMax: 1 << 20) } catch { hasFailed = true }
        takeEvents()
        let bytes = queue.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        var rest = bytes[...]
        if session.role == .client, rest.starts(with: "PRI".utf8) { rest = rest.dropFirst(24) }
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let byteCount = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            require(head[5] < 0x80 && byteCount + 9 <= rest.count, "what goes out is whole frames")
            rest = rest.dropFirst(9 + byteCount)
        }
        require(rest.isEmpty, "nothing goes out behind the last frame")
    }
}
