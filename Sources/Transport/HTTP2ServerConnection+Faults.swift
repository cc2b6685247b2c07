/// What a server does on purpose to see what its clients make of it. On the loop.
extension HTTP2ServerConnection {
    /// Ends at once with a TCP reset.
    package func reset() { channel.abort(.connectionClosed, resets: true) }

    /// TLS's goodbye without HTTP/2's.
    package func close() { channel.close() }

    /// Stops to read, or goes on: meanwhile the client's bytes fill TCP's buffers.
    package func setDeaf(_ isDeaf: Bool) {
        if isDeaf { channel.pauseReading() } else { channel.resumeReading() }
    }
}
