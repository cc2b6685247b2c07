import Networking

/// Deliberate faults, to test clients. On the loop.
extension HTTP2ServerConnection {
    package func reset() { channel.abort(.connectionClosed, resets: true) }

    /// Sends close_notify without GOAWAY.
    package func close() { channel.close() }

    /// Meanwhile the client's bytes fill TCP's buffers.
    package func setDeaf(_ isDeaf: Bool) {
        if isDeaf { channel.pauseReading() } else { channel.resumeReading() }
    }
}
