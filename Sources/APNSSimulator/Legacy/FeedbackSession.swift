import APNS
import Transport

/// A provider's visit to the feedback service: it says nothing and is told everything. Lives on the loop.
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

    /// What a client says is of no interest.
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}

    func channelIsWritable(_ channel: TLSChannel) { write() }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        core.legacy.didReadFeedback(readCount)
        core.legacy.didClose(self)
    }

    /// What was not written yet stays on the list.
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
