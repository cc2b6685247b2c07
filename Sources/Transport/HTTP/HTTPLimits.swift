/// What one server for both versions of HTTP allows, and how long it waits.
package struct HTTPLimits: Sendable {
    // Of a request.

    /// HTTP/1.1: the request line and all fields. HTTP/2: names, values and 32 for each field (RFC 9113 section 6.5.2).
    package var headerByteCountMax = 16 << 10
    package var headerFieldCountMax = 100
    /// Of the bodies of all requests with a key that are being read or have no answer; counted as memory, not as what was
    /// announced.
    package var keyedBodyMemoryMax = 256 << 20
    /// The same for all requests without a key.
    package var keylessBodyMemoryMax = 16 << 20
    /// Of those, for one IPv4 address or IPv6 network.
    package var networkBodyMemoryMax = 1 << 20
    /// HTTP/1.1: what is left of a body when its answer is there, and is read so that the connection can go on. More ends
    /// the connection.
    package var discardedByteCountMax = 64 << 10

    /// Of requests that are answered with 429.
    var refusals = RefusalBudget.Measure()

    // Of connections.

    package var connectionCountMax = 4096
    /// From one IPv4 address, or one IPv6 network of 56 bits.
    package var connectionCountPerAddressMax = 256
    /// Whether this address is a proxy's that was named: its connections stand for many clients. They do not count for their
    /// address, and none is closed for others.
    package var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    /// On the loopback port, which has places of its own.
    package var loopbackConnectionCountMax = 64
    /// HTTP/2: requests of one connection that have no answer.
    package var maxConcurrentStreams: UInt32 = 256

    // Time.

    package var handshakeDeadline: Duration = .seconds(10)
    /// From the first byte of a request with a key to its last, however steadily they drip in.
    package var requestDeadline: Duration = .seconds(30)
    /// The same for a request without a key, and for the head of every request. No longer than `requestDeadline` in effect.
    package var keylessDeadline: Duration = .seconds(5)
    /// From an answer to its last byte taken.
    package var responseDeadline: Duration = .seconds(30)
    /// Without a request.
    package var idleDeadline: Duration = .seconds(120)
    /// What requests that were begun get when the server closes.
    package var drainDeadline: Duration = .seconds(5)
    /// How long sent bytes may go unacknowledged; see `TLSChannelLimits`.
    package var unacknowledgedDeadline: Duration = .seconds(30)

    package init() {}

    /// Minutes in place of seconds: for tests, on machines that may be starved of time.
    package static var patient: HTTPLimits {
        var limits = HTTPLimits()
        limits.handshakeDeadline = .seconds(600)
        limits.requestDeadline = .seconds(600)
        limits.keylessDeadline = .seconds(600)
        limits.responseDeadline = .seconds(600)
        limits.idleDeadline = .seconds(600)
        limits.drainDeadline = .seconds(600)
        limits.unacknowledgedDeadline = .seconds(600)
        return limits
    }

    /// How long a request may take to come whole; nil: its head has not been judged.
    func deadline(of share: HTTPBodyShare?) -> Duration {
        if case .keyed? = share { return requestDeadline }
        return min(keylessDeadline, requestDeadline)
    }

    /// The shortest time that anything may take on an open connection.
    var shortestDeadline: Duration { min(deadline(of: nil), responseDeadline, idleDeadline) }

    var channel: TLSChannelLimits {
        var channel = TLSChannelLimits()
        channel.handshakeDeadline = handshakeDeadline
        channel.unacknowledgedDeadline = unacknowledgedDeadline
        // Each version has its own idea of when it is idle: an answer may take its time.
        channel.idleDeadline = nil
        return channel
    }

    var http2: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.channel = channel
        limits.settings.maxConcurrentStreams = maxConcurrentStreams
        limits.settings.headerListByteCountMax = UInt32(clamping: headerByteCountMax)
        limits.settings.headerFieldCountMax = headerFieldCountMax
        limits.requestDeadline = requestDeadline
        limits.responseDeadline = responseDeadline
        limits.idleDeadline = idleDeadline
        limits.drainDeadline = drainDeadline
        return limits
    }
}
