import TestCertificates
import Testing

@testable import Networking

@Suite struct ChannelPeerTests {
    private struct Peer: Sendable {
        let address: String?
        let commonName: String?
    }

    private final class Observer: TLSChannelDelegate {
        private let opened: Signal<Peer>

        init(_ opened: Signal<Peer>) {
            self.opened = opened
        }

        func channelDidOpen(_ channel: TLSChannel) {
            opened.send(Peer(address: channel.remoteAddress, commonName: channel.peerCertificate?.commonName))
        }

        func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}
        func channelIsWritable(_ channel: TLSChannel) {}
        func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
    }

    @Test(arguments: [true, false])
    func `both sides know whom they talk to`(_ showsCertificate: Bool) async throws {
        let stage = try TLSStage()
        let loopback = try Loopback(
            server: stage.serverContext(
                clientTrust: .init(
                    authorities: .pem(stage.authority.certificatePEM),
                    isCertificateRequired: false
                )
            ),
            client: stage.clientContext(identity: showsCertificate ? stage.clientIdentity("Some client") : nil)
        )
        let opened = Signal<Peer>()
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        let listener = try await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) {
                        _ in
                        Observer(opened)
                    },
                    to: loop
                )
            }
        }.get()
        let port = await loop.run { listener.value.port }
        let client = try await RecordedChannel.connect(loopback, to: port)
        var events = client.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
        let channel = client.channel
        #expect(await channel.loop.run { channel.value.remoteAddress } == "127.0.0.1:\(port)")
        #expect(await channel.loop.run { channel.value.peerCertificate?.commonName } == "Test server")
        let peer = await opened.next()
        #expect(peer?.address?.hasPrefix("127.0.0.1:") == true)
        #expect(peer?.commonName == (showsCertificate ? "Some client" : nil))
        // A log line may be written after the channel's end.
        await channel.loop.run { channel.value.abort(.cancelled) }
        #expect(await channel.loop.run { channel.value.remoteAddress } == "127.0.0.1:\(port)")
    }

    @Test func `nobody is there before there is a connection`() async throws {
        let loopback = try Loopback()
        let client = try await RecordedChannel.connect(loopback, to: 1, host: "name.invalid")
        let channel = client.channel
        #expect(await client.untilClosed().error != nil)
        #expect(await channel.loop.run { channel.value.remoteAddress } == nil)
        #expect(await channel.loop.run { channel.value.peerCertificate?.commonName } == nil)
    }
}
