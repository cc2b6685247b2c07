@testable import Networking

extension RecordedChannel {
    /// Listens on a port of the system's choice, and gives the server's end of each connection: TLS, and nothing above
    /// it.
    ///
    /// - Parameters:
    ///   - greeting: first bytes to every client.
    /// - Returns: the port, and a stream of connections.
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

    /// Queues a write, in order. Writes after the channel's end are dropped.
    func write(_ bytes: [UInt8]) {
        let channel = channel
        channel.loop.perform {
            // The only failure is a full queue, which would show as a missing answer.
            try? channel.value.write(bytes)
        }
    }
}
