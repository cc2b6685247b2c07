import APNS
import HTTP
import Networking

/// Retains its pool until it has closed.
final class PooledConnection {
    /// More unwritten bytes mean that the peer's window or the socket is full.
    static let unsentByteCountMax = 1 << 16

    let number: Int
    let pool: ConnectionPool
    var encoder: RequestEncoder
    let core: HTTP2ClientCore
    private var limit = AdaptiveLimit()
    private(set) var openedAt: MonotonicTime?
    private(set) var lastUsedAt: MonotonicTime
    /// False until an answer proves the credential; until then APNs takes one push at a time.
    private(set) var isProven = false
    /// True if it takes no more pushes.
    private(set) var isRetired = false
    /// True if it ended with pushes in flight.
    var isCut = false
    private(set) var goAway: RejectionBody?
    /// Time of the last PING.
    var roundTrip: Duration?

    init(number: Int, pool: ConnectionPool, authority: [UInt8], limits: HTTP2ClientLimits) {
        self.number = number
        self.pool = pool
        encoder = RequestEncoder(authority: authority)
        lastUsedAt = pool.loop.now
        core = HTTP2ClientCore(loop: pool.loop, limits: limits)
        core.onEvent = { [self] event in handle(event) }
        core.owner = self
    }

    var isConnecting: Bool { openedAt == nil }

    /// nil if it is not open, or retired.
    var freeStreamCount: Int? {
        guard !isRetired, core.isOpen else { return nil }
        let own = isProven ? min(limit.value, pool.cuts.value) : 1
        return max(0, min(core.peerMaxConcurrentStreams, own) - core.openStreamCount)
    }

    /// Writes this turn's earlier pushes first if they are in the way.
    func hasRoom() -> Bool {
        guard let freeStreamCount, freeStreamCount > 0 else { return false }
        if takesBodies { return true }
        guard core.unsentBodyByteCount > 0 else { return false }
        core.flush()
        return core.isOpen && takesBodies
    }

    /// False behind a partly written body: nghttp2 prefers streams that had least, so later pushes would delay its
    /// rest.
    private var takesBodies: Bool {
        guard !core.isBodyCut, core.unsentBodyByteCount < Self.unsentByteCountMax else { return false }
        // With no open stream, the peer waits for nothing.
        return core.bodyRoomByteCount > 0 || core.openStreamCount == 0
    }

    /// Sends the headers that `encoder` has.
    func start(_ slot: Int, body: [UInt8], deadline: MonotonicTime) throws(TransportError) {
        lastUsedAt = pool.loop.now
        try core.start(encoder.headers, body: body, id: UInt64(slot), deadline: deadline)
    }

    /// Closes after the pushes in flight.
    func retire() {
        guard !isRetired else { return }
        isRetired = true
        core.close(gracefully: true)
    }

    func didConnect() {
        openedAt = pool.loop.now
        lastUsedAt = pool.loop.now
    }

    func didAnswer(isAuthenticated: Bool, isRefusal: Bool) {
        if isAuthenticated { isProven = true }
        limit.didAnswer(isRefusal: isRefusal)
    }

    private func handle(_ event: HTTP2ClientEvent) {
        switch event {
        case .maxConcurrentStreams(let count): pool.didReceiveSettings(streamCountMax: count, self)
        case .goAway(_, let code, let debugData):
            goAway = RejectionBody(json: debugData)
            pool.didReceiveGoAway(goAway, code: code, self)
        case .pong(let roundTrip): self.roundTrip = roundTrip
        case .closed(let error): pool.didClose(error, self)
        }
    }
}

extension PooledConnection: HTTP2ClientOwner {
    func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>) {
        pool.requestDidEnd(Int(id), result, self)
    }

    func connectionDidProgress() { pool.planDispatch() }
}
