import APNS
import Networking

final class GatewaySession: TLSChannelDelegate {
    private let channel: TLSChannel
    private let core: SimulatorCore
    private var connection = LegacyConnection()
    private var app = LegacyTopic(userID: nil)

    init(_ channel: TLSChannel, _ core: SimulatorCore) {
        self.channel = channel
        self.core = core
    }

    func channelDidOpen(_ channel: TLSChannel) { app = LegacyTopic(channel.peerCertificate) }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        connection.append(bytes)
        while true {
            switch connection.next({ core.legacy.judge($0, $1, app) }) {
            case .wait: return
            case .accepted(let notification, let command):
                if let topic = app.topic { core.legacy.accept(notification, command, topic) }
            case .end(let packet): return end(packet)
            }
        }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) { core.legacy.didClose(self) }

    func shutDown() {
        guard case .end(let packet) = connection.shutDown() else { return }
        guard packet != nil else { return channel.close() }
        end(packet)
    }

    private func end(_ packet: LegacyErrorPacket?) {
        core.legacy.didEnd(packet)
        // An error in the simple layout closes the connection without a packet.
        guard let packet else { return channel.abort(.connectionClosed) }
        do throws(TransportError) {
            // Input is discarded: closing with unread bytes would reset the connection, and the client's machine would
            // drop the packet.
            try channel.write(packet.bytes)
            channel.close()
        } catch {
            channel.abort(error)
        }
    }
}
