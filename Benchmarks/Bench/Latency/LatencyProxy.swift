package import Transport

/// A long way to a server on this machine, for measurements and tests: what goes through arrives unchanged, half a round
/// trip later, at whatever rate it came.
///
/// Delays the bytes and the ends of connections, not TCP's own handshake: a caller is connected at once. The loop's
/// timers have milliseconds, so that each way takes up to one more than it should, and never less.
package struct LatencyProxy: Sendable {
    /// Of 127.0.0.1, in the host's byte order.
    package let port: UInt16
    private let listener: LoopBound<LatencyListener>

    /// - Parameters:
    ///   - host: the target's name or address.
    ///   - port: the target's, in the host's byte order.
    ///   - roundTrip: half of it for each way.
    ///   - byteCountMax: may be on its way, per connection and direction. Who sends more has to wait, and so this limits
    ///     the rate to itself per half round trip.
    ///   - loop: on which it all runs; one of its own, where rates are measured.
    /// - Returns: a proxy that listens.
    /// - Throws: when there is no port or descriptor to be had.
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

    /// How many callers are joined with the target.
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
