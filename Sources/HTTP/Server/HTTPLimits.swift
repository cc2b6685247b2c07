import Networking

package struct HTTPLimits: Sendable {
    // Requests.

    /// HTTP/1.1: the request line and all fields. HTTP/2: names, values and 32 per field (RFC 9113 section 6.5.2).
    package var headerByteCountMax = 16 << 10
    package var headerFieldCountMax = 100
    /// Bodies of all unanswered requests with a key: allocated memory, not announced length.
    package var keyedBodyMemoryMax = 256 << 20
    /// The same for all requests without a key.
    package var keylessBodyMemoryMax = 16 << 20
    /// The same, per IPv4 address or IPv6 network.
    package var networkBodyMemoryMax = 1 << 20
    /// HTTP/1.1: unread rest of a body that is skipped to keep the connection. More ends it.
    package var discardedByteCountMax = 64 << 10

    /// For responses of 429.
    var refusals = RefusalBudget.Measure()

    // Connections.

    package var connectionCountMax = 4096
    /// Per IPv4 address or IPv6 network of 56 bits.
    package var connectionCountPerAddressMax = 256
    /// Recognizes configured proxies: their connections do not count for their address, nor are evicted.
    package var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    package var loopbackConnectionCountMax = 64
    /// HTTP/2: unanswered requests per connection.
    package var maxConcurrentStreams: UInt32 = 256

    // Time.

    package var handshakeDeadline: Duration = .seconds(10)
    /// From first to last byte of a request with a key, however steadily they arrive.
    package var requestDeadline: Duration = .seconds(30)
    /// The same for a request without a key, and for every head; at most `requestDeadline`.
    package var keylessDeadline: Duration = .seconds(5)
    /// From a response to its last byte taken.
    package var responseDeadline: Duration = .seconds(30)
    /// Without a request.
    package var idleDeadline: Duration = .seconds(120)
    package var drainDeadline: Duration = .seconds(5)
    /// For unacknowledged bytes; see `TLSChannelLimits`.
    package var unacknowledgedDeadline: Duration = .seconds(30)

    package init() {}

    /// Minutes instead of seconds: for tests on busy machines.
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

    /// Nil: the head has not been judged.
    func deadline(of share: HTTPBodyShare?) -> Duration {
        if case .keyed? = share { return requestDeadline }
        return min(keylessDeadline, requestDeadline)
    }

    var shortestDeadline: Duration { min(deadline(of: nil), responseDeadline, idleDeadline) }

    var channel: TLSChannelLimits {
        var channel = TLSChannelLimits()
        channel.handshakeDeadline = handshakeDeadline
        channel.unacknowledgedDeadline = unacknowledgedDeadline
        // Each version judges idleness itself: a response may take its time.
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
