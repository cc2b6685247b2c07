import Networking
import Platform
import Testing

@testable import APNSSimulator

/// A provider that sends bytes as soon as its own side of the handshake is done, and keeps the replies.
final class EagerProvider: TLSChannelDelegate, @unchecked Sendable {
    // Unchecked: all state is used on the loop only.
    private let greeting: [UInt8]
    private var received: [UInt8] = []
    private var ended: CheckedContinuation<[UInt8], Never>?

    private init(greeting: [UInt8]) { self.greeting = greeting }

    /// Sends `bytes`, waits until the simulator has closed, and returns what it sent.
    static func exchange(_ bytes: [UInt8], as identity: TLSIdentity, with site: Site) async throws -> [UInt8] {
        let context = try TLSContext.client(trust: .pem(site.authorityPEM), alpn: ["h2"], identity: identity)
        return await withCheckedContinuation { continuation in
            site.clientLoop.perform {
                let provider = EagerProvider(greeting: bytes)
                provider.ended = continuation
                do throws(TransportError) {
                    _ = try TLSChannel.connect(
                        host: "127.0.0.1",
                        port: site.simulator.pushPort,
                        context: context,
                        loop: site.clientLoop,
                        limits: .patient,
                        delegate: provider
                    )
                } catch {
                    continuation.resume(returning: [])
                }
            }
        }
    }

    func channelDidOpen(_ channel: TLSChannel) {
        do throws(TransportError) {
            try channel.write(greeting)
        } catch {
            Issue.record(error)
        }
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for offset in bytes.indices { received.append(bytes[offset]) }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        ended?.resume(returning: received)
        ended = nil
    }
}
