import APNS
import Networking

/// Connection that only sends. Lives on the loop.
final class FeedbackSession: TLSChannelDelegate {
    /// About 10 kB: a TLS record.
    private static let tupleCountPerWrite = 256

    private let channel: TLSChannel
    private let core: SimulatorCore
    private var readCount = 0

    init(_ channel: TLSChannel, _ core: SimulatorCore) {
        self.channel = channel
        self.core = core
    }

    func channelDidOpen(_ channel: TLSChannel) { write() }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}

    func channelIsWritable(_ channel: TLSChannel) { write() }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        core.legacy.didReadFeedback(readCount)
        core.legacy.didClose(self)
    }

    /// Unwritten entries stay on the list.
    func close() { channel.close() }

    private func write() {
        let topic = LegacyTopic(channel.peerCertificate).topic
        while channel.isWritable {
            let tuples = topic.map { core.legacy.drainFeedback($0, countMax: Self.tupleCountPerWrite) } ?? []
            guard !tuples.isEmpty else { return channel.close() }
            var bytes: [UInt8] = []
            for tuple in tuples { tuple.append(to: &bytes) }
            do throws(TransportError) { try channel.write(bytes) } catch { return channel.abort(error) }
            readCount += tuples.count
        }
    }
}
