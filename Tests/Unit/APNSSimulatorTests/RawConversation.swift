import Networking
import TestSupport

@testable import APNSSimulator

struct RawConversation: Sendable {
    let port: UInt16
    let context: TLSContext
    let loop: EventLoop

    init(port: UInt16, context: TLSContext, loop: EventLoop) {
        (self.port, self.context, self.loop) = (port, context, loop)
    }

    init(_ site: Site) {
        self.init(port: site.simulator.pushPort, context: site.pushContext, loop: site.clientLoop)
    }

    /// Sends bytes, and returns the frames up to a wanted one or the connection's end.
    func say(_ bytes: [UInt8], until isEnough: (RawFrame) -> Bool = { _ in false }) async throws -> [RawFrame] {
        let speaker = Speaker(bytes)
        let (loop, port, context) = (loop, port, context)
        let channel = try await loop.run {
            Result { () throws(TransportError) in
                let channel = try TLSChannel.connect(
                    host: "127.0.0.1",
                    port: port,
                    context: context,
                    loop: loop,
                    limits: .patient,
                    delegate: speaker
                )
                return LoopBound(channel, to: loop)
            }
        }.get()
        var received: [UInt8] = []
        for await piece in speaker.events {
            received += piece
            if RawFrame.parse(received).contains(where: isEnough) { break }
        }
        await loop.run { channel.value.abort(.cancelled) }
        var frames: [RawFrame] = []
        for frame in RawFrame.parse(received) {
            frames.append(frame)
            if isEnough(frame) { break }
        }
        return frames
    }
}

// Unchecked: its members never change, and the stream is made for two threads.
private final class Speaker: TLSChannelDelegate, @unchecked Sendable {
    let events: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        (events, continuation) = AsyncStream.makeStream()
    }

    func channelDidOpen(_ channel: TLSChannel) {
        // It has just opened, so there is room.
        try? channel.write(bytes)
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        continuation.yield(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        continuation.finish()
    }
}
