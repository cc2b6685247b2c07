package struct TCPRoute: Sendable {
    /// Nil: direct.
    package var proxy: Proxy?
    /// First of the host's (or proxy's) addresses to try; wraps. A counter spreads connections.
    package var addressOffset = 0
    /// Silence of an address before the next is tried in parallel (RFC 8305 section 5).
    package var attemptDelay: Duration = .milliseconds(250)

    /// System's, except in tests.
    package var resolver = Resolver.shared

    package init() {}
}
