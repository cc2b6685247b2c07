import APNSProvider
import Networking
import Platform

@testable import APNSSimulator

/// A client of the gateway that sends any bytes and keeps the replies.
final class GatewayClient: Sendable {
    struct End: Sendable {
        let bytes: [UInt8]
        /// `nil` where the connection ended in order.
        let error: TransportError?
    }

    private let core: LoopBound<Core>

    private init(_ core: LoopBound<Core>) { self.core = core }

    static func connect(to site: ServiceSite) async throws -> GatewayClient {
        let core = LoopBound(Core(), to: site.clientLoop)
        let (context, port, limits) = (try site.legacyContext(), site.simulator.gatewayPort ?? 0, ServiceSite.patient)
        let result: Result<Void, TransportError> = await withCheckedContinuation { continuation in
            core.loop.perform {
                core.value.onOpen = { continuation.resume(returning: $0) }
                do throws(TransportError) {
                    core.value.channel = try TLSChannel.connect(
                        host: "127.0.0.1",
                        port: port,
                        context: context,
                        loop: core.loop,
                        limits: limits.channel,
                        delegate: core.value
                    )
                } catch {
                    core.value.open(.failure(error))
                }
            }
        }
        try result.get()
        return GatewayClient(core)
    }

    func send(_ bytes: [UInt8]) async {
        let core = core
        await core.loop.run { core.value.send(bytes) }
    }

    /// Stops reading, so that even the connection's end goes unnoticed.
    func pauseReading() async {
        let core = core
        await core.loop.run { core.value.channel?.pauseReading() }
    }

    func abort() async {
        let core = core
        await core.loop.run { core.value.channel?.abort(.cancelled) }
    }

    /// All replies, once the connection is over.
    func end() async -> End {
        let core = core
        return await withCheckedContinuation { continuation in
            core.loop.perform { core.value.whenEnded { continuation.resume(returning: $0) } }
        }
    }

    private final class Core: TLSChannelDelegate {
        var channel: TLSChannel?
        var onOpen: ((Result<Void, TransportError>) -> Void)?
        private var waiting: ArraySlice<UInt8> = []
        private var received: [UInt8] = []
        private var ended: End?
        private var onEnd: ((End) -> Void)?

        func open(_ result: Result<Void, TransportError>) {
            onOpen?(result)
            onOpen = nil
        }

        func send(_ bytes: [UInt8]) {
            waiting += bytes
            write()
        }

        func whenEnded(_ onEnd: @escaping (End) -> Void) {
            if let ended { return onEnd(ended) }
            self.onEnd = onEnd
        }

        private func write() {
            while let channel, channel.isWritable, !waiting.isEmpty {
                let piece = waiting.prefix(1 << 14)
                waiting = waiting.dropFirst(piece.count)
                do throws(TransportError) { try channel.write(piece.span) } catch { return channel.abort(error) }
            }
        }

        func channelDidOpen(_ channel: TLSChannel) { open(.success(())) }

        func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
            for offset in bytes.indices { received.append(bytes[offset]) }
        }

        func channelIsWritable(_ channel: TLSChannel) { write() }

        func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
            self.channel = nil
            open(.failure(error ?? .connectionClosed))
            let end = End(bytes: received, error: error)
            ended = end
            onEnd?(end)
            onEnd = nil
        }
    }
}
