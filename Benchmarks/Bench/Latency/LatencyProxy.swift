package import Networking

/// A long path to a server on this machine, for measurements and tests: bytes arrive unchanged, half a round trip
/// later, at their original rate.
///
/// Delays the bytes and the ends of connections, not TCP's own handshake: a caller is connected at once. The loop's
/// timers have milliseconds, so that each way takes up to one more than it should, and never less.
package struct LatencyProxy: Sendable {
    /// Port of 127.0.0.1, in the host's byte order.
    package let port: UInt16
    private let listener: LoopBound<LatencyListener>

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - port: The target's, in the host's byte order.
    ///   - roundTrip: Half of it for each way.
    ///   - byteCountMax: Maximum in transit, per connection and direction; limits the rate to itself per half round
    ///     trip.
    ///   - loop: The proxy's own, when rates are measured.
    package static func start(
        target host: String,
        port: UInt16,
        roundTrip: Duration,
        byteCountMax: Int = 16 << 20,
        loop: EventLoop
    ) async throws(TransportError) -> LatencyProxy {
        let result: Result<LatencyProxy, TransportError> = await loop.run {
            Result { () throws(TransportError) in
                let listener = try LatencyListener(
                    target: (host, port),
                    delay: roundTrip / 2,
                    byteCountMax: byteCountMax,
                    loop: loop
                )
                return LatencyProxy(port: listener.port, listener: LoopBound(listener, to: loop))
            }
        }
        return try result.get()
    }

    package func connectionCount() async -> Int {
        let listener = listener
        return await listener.loop.run { listener.value.connectionCount }
    }

    /// Ends every connection at once, and frees the port.
    package func close() async {
        let listener = listener
        await listener.loop.run { listener.value.close() }
    }
}
