package import APNS
public import Transport

/// How a client behaves. The defaults suit a service that sends to Apple.
public struct APNSClientConfiguration: Sendable {
    /// What becomes of a push whose connection ended after it was written and before it was answered.
    public enum AmbiguityPolicy: Sendable {
        /// The caller is told, and decides.
        case report
        /// Sent again, with the same `apns-id`, if it has a collapse id: then the device shows one notification.
        case resendCollapsible
        /// Sent again, with the same `apns-id`: for pushes that may rather be shown twice than never.
        case resend
    }

    /// Whose certificates are believed.
    public var trust = TLSTrust.system
    /// Through which connections go, where a firewall lets nothing else out.
    public var proxy: Proxy?
    /// Where connections live; nil: on a loop of the client's own, which ends with it.
    package var loop: EventLoop?
    /// More are not opened, however many pushes wait.
    public var connectionCountMax = 16
    /// Pushes that may wait for a free stream before `trySend` refuses; `send` waits, and is its caller's to bound.
    public var waitingCountMax = 10_000
    /// From `send` to the answer, every wait and repetition included.
    public var deadline: Duration = .seconds(30)
    /// From the first byte of one attempt to its answer.
    public var answerDeadline: Duration = .seconds(15)
    /// For the name, TCP, a proxy and TLS together.
    public var connectDeadline: Duration = .seconds(10)
    /// How often one push is begun to be sent.
    public var attemptCountMax = 5
    /// For pushes whose connection ended under them.
    public var ambiguity = AmbiguityPolicy.resendCollapsible
    /// With pushes in flight and nothing heard for so long, the peer is asked for a sign of life.
    public var pingAfter: Duration = .seconds(5)
    /// Without pushes in flight. Apple suggests an hour.
    public var idlePingAfter: Duration = .seconds(3600)
    /// How long the peer may take for that sign.
    public var pingDeadline: Duration = .seconds(5)
    /// Then a connection is replaced: names are looked up anew, and no server keeps its clients for ever. Apple asks for
    /// connections that live for hours to days.
    public var connectionAgeMax: Duration = .seconds(86_400)
    /// A connection beyond the first that had nothing to do for so long is closed.
    public var idleDeadline: Duration = .seconds(3600)
    /// Who knows the addresses of names; the system, but in tests.
    package var resolver = Resolver.shared
    package var backoff = ReconnectBackoff.Limits()
    /// Told what happens, on the loop; it must not block.
    public var observer: (any APNSClientObserver)?
    /// Told of each attempt that was begun and is not what its push ends with: it goes out again, or what its caller gets says
    /// nothing of it. On the loop, before the caller; for nearly all pushes never.
    package var onEarlierAttempt: (@Sendable (APNSID, ResendCause) -> Void)?
    /// True: a push that was taken waits here for a connection. False: it is handed back, `.notProcessed`, as soon as no
    /// connection is open. For senders that ask for `room` first.
    package var keepsUnsent = true
    /// Told that there may be room now, after `want`. On the loop, at a turn's end.
    package var onRoom: (@Sendable () -> Void)?
    /// What a provider token's age is read from.
    package var clock: @Sendable () -> Moment = { Moment.now() }
    /// 0 ..< 1, drawn anew for each wait between connects: providers that lost one server must not come back as one.
    package var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

    /// The defaults.
    public init() {}

    /// The loop that was given, or a new one, which whoever made it has to stop.
    func loopOrNew() throws(ProviderError) -> EventLoop {
        if let loop { return loop }
        do throws(TransportError) { return try EventLoop() } catch { throw .system(error) }
    }
}
