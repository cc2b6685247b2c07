package import APNS
public import Networking

/// Settings of a client; the defaults suit a service.
public struct APNSClientConfiguration: Sendable {
    /// Treatment of a push whose connection ended after it was written and before it was answered.
    public enum AmbiguityPolicy: Sendable {
        /// Reported to the caller.
        case report
        /// Resent with the same `apns-id` if it has a collapse id, so that the device shows one.
        case resendCollapsible
        /// Resent with the same `apns-id`: better shown twice than never.
        case resend
    }

    /// Trusted certificates.
    public var trust = TLSTrust.system
    /// Proxy for connections, where a firewall requires one.
    public var proxy: Proxy?
    /// nil: the client's own loop, which ends with it.
    package var loop: EventLoop?
    /// Limit of connections.
    public var connectionCountMax = 16
    /// Limit of waiting pushes in `trySend`; callers of `send` limit themselves.
    public var waitingCountMax = 10_000
    /// From `send` to the answer, including waits and resends.
    public var deadline: Duration = .seconds(30)
    /// From the first byte of one attempt to its answer.
    public var answerDeadline: Duration = .seconds(15)
    /// For DNS, TCP, proxy and TLS together.
    public var connectDeadline: Duration = .seconds(10)
    /// Attempts of one push.
    public var attemptCountMax = 5
    /// Treatment of pushes whose connection ended under them.
    public var ambiguity = AmbiguityPolicy.resendCollapsible
    /// Silence before a PING with pushes in flight.
    public var pingAfter: Duration = .seconds(5)
    /// Silence before a PING without pushes in flight. Apple suggests an hour.
    public var idlePingAfter: Duration = .seconds(3600)
    /// Time for the answer to a PING.
    public var pingDeadline: Duration = .seconds(5)
    /// Age at which a connection is replaced, so that names are looked up again. Apple asks for hours to days.
    public var connectionAgeMax: Duration = .seconds(86_400)
    /// Idle time before a connection beyond the first is closed.
    public var idleDeadline: Duration = .seconds(3600)
    /// System's, except in tests.
    package var resolver = Resolver.shared
    package var backoff = ReconnectBackoff.Limits()
    /// Receives events on the loop; must not block.
    public var observer: (any APNSClientObserver)?
    /// Called for each attempt that its push's result does not show. On the loop, before the result; rare.
    package var onEarlierAttempt: (@Sendable (APNSID, ResendCause) -> Void)?
    /// False: a push ends with `.notProcessed` once no connection is open, for senders that read `room`.
    package var keepsUnsent = true
    /// Called after `want` when there may be room. On the loop, at a turn's end.
    package var onRoom: (@Sendable () -> Void)?
    /// Clock for the age of provider tokens.
    package var clock: @Sendable () -> Moment = { Moment.now() }
    /// 0 ..< 1, for waits between connects, so that providers do not return together.
    package var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

    /// Makes the defaults.
    public init() {}

    func loopOrNew() throws(ProviderError) -> EventLoop {
        if let loop { return loop }
        do throws(TransportError) { return try EventLoop() } catch { throw .system(error) }
    }
}
