/// Which way a connection takes to its host.
package struct TCPRoute: Sendable {
    /// Nil: straight there.
    package var proxy: Proxy?
    /// With which of the host's (or the proxy's) addresses to begin: connections that count up here spread over all of
    /// them. Any number; it wraps.
    package var addressOffset = 0
    /// How long an address may be silent before the next is tried beside it (RFC 8305 section 5).
    package var attemptDelay: Duration = .milliseconds(250)

    /// Who knows the addresses of names; the system, but in tests.
    package var resolver = Resolver.shared

    package init() {}
}
