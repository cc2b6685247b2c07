@testable import Transport

extension RecordedChannel {
    /// Listens on a port of the system's choice, and gives the server's end of each connection: TLS, and nothing above it.
    ///
    /// - Parameters:
    ///   - loopback: whose server's loop and context.
    ///   - greeting: what every client hears first.
    /// - Returns: the port, and each connection in its turn.
    /// - Throws: `TransportError` when nobody may listen.
    static func listen(
        _ loopback: Loopback,
        greeting: [UInt8]
    ) async throws -> (port: UInt16, accepted: Signal<RecordedChannel>) {
        let accepted = Signal<RecordedChannel>()
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        // The listener keeps itself alive until its loop stops.
        let port = await loop.run {
            Result { () throws(TransportError) in
                try TLSListener(
                    address: "127.0.0.1",
                    port: 0,
                    context: context,
                    loop: loop,
                    limits: ConformanceClient.patience
                ) { channel in
                    let (events, continuation) = AsyncStream.makeStream(of: ChannelRecorder.Event.self)
                    accepted.send(RecordedChannel(channel: LoopBound(channel, to: loop), events: events))
                    return ChannelRecorder(continuation) { channel in
                        // It has just opened: there is room for a few bytes.
                        try? channel.write(greeting)
                    }
                }.port
            }
        }
        return (try port.get(), accepted)
    }

    /// Later, in order. What comes after the channel's end is dropped.
    func write(_ bytes: [UInt8]) {
        let channel = channel
        channel.loop.perform {
            // The one failure is a full queue, which would show as an answer that never comes.
            try? channel.value.write(bytes)
        }
    }
}
