import APNS
import Transport

/// One connection of a pool, on the pool's loop. Holds its pool until it has closed.
final class PooledConnection {
    /// More than this of submitted bodies that could not be written means that the peer's window or the socket is full.
    static let unsentByteCountMax = 1 << 16

    let number: Int
    let pool: ConnectionPool
    /// What HPACK remembers is the connection's own.
    var encoder: RequestEncoder
    let core: HTTP2ClientCore
    private var limit = AdaptiveLimit()
    private(set) var openedAt: MonotonicTime?
    private(set) var lastUsedAt: MonotonicTime
    /// An answer came that only an accepted credential gets; before that APNs takes one push at a time.
    private(set) var isProven = false
    /// Takes no new pushes, because it is too old, says what it should not, or is not needed.
    private(set) var isRetired = false
    /// It ended with pushes in flight.
    var isCut = false
    /// What APNs said when it ended the connection.
    private(set) var goAway: RejectionBody?
    /// How long the peer took for its last sign of life.
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

    /// Streams for more pushes; nil: none is begun here yet, or none any more.
    var freeStreamCount: Int? {
        guard !isRetired, core.isOpen else { return nil }
        let own = isProven ? min(limit.value, pool.cuts.value) : 1
        return max(0, min(core.peerMaxConcurrentStreams, own) - core.openStreamCount)
    }

    /// Whether a push may be started now. What was started before in this turn is written out first if it stands in the
    /// way.
    func hasRoom() -> Bool {
        guard let freeStreamCount, freeStreamCount > 0 else { return false }
        if takesBodies { return true }
        guard core.unsentBodyByteCount > 0 else { return false }
        core.flush()
        return core.isOpen && takesBodies
    }

    /// Not behind a body of which only a part is out: nghttp2 serves those first that have had least, and so every push
    /// that is started later before the rest of an earlier one, for as long as there are others.
    private var takesBodies: Bool {
        guard !core.isBodyCut, core.unsentBodyByteCount < Self.unsentByteCountMax else { return false }
        // With nothing on its way there is nothing that a peer could be waiting for to open its window.
        return core.bodyRoomByteCount > 0 || core.openStreamCount == 0
    }

    func start(_ slot: Int, _ headers: HeaderBlock, body: [UInt8], deadline: MonotonicTime) throws(TransportError) {
        lastUsedAt = pool.loop.now
        try core.start(headers, body: body, id: UInt64(slot), deadline: deadline)
    }

    /// Lets those in flight end, and then closes.
    func retire() {
        guard !isRetired else { return }
        isRetired = true
        core.close(gracefully: true)
    }

    func didConnect() {
        openedAt = pool.loop.now
        lastUsedAt = pool.loop.now
    }

    /// `isRefusal`: Apple counts the answer as the provider's error.
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
