import DeviceLink
import Networking

/// Simulator's end of a device connection. Lives on the loop.
final class DeviceSession: TLSChannelDelegate {
    let id: DeviceDirectory.ConnectionID
    private let channel: TLSChannel
    private let core: SimulatorCore
    private var decoder = DeviceFrameDecoder()
    private var hasSaidHello = false
    private var failure: DeviceLinkError?
    private var timer: LoopTimer?

    init(id: DeviceDirectory.ConnectionID, channel: TLSChannel, core: SimulatorCore) {
        self.id = id
        self.channel = channel
        self.core = core
    }

    var owner: DeviceOwner? { channel.peerCertificate.map { DeviceOwner(publicKeyDER: $0.publicKeyDER) } }

    func send(_ frame: DeviceFrame) {
        let bytes = frame.bytes
        do throws(TransportError) {
            try channel.write(bytes.span)
        } catch {
            // The device does not read: unacknowledged pushes wait for its next connection.
            fail(.transport(error))
        }
    }

    /// Closes after the pending writes.
    func close() { channel.close() }

    private func fail(_ error: DeviceLinkError) {
        failure = failure ?? error
        channel.abort(.connectionClosed)
    }

    func channelDidOpen(_ channel: TLSChannel) {
        timer = channel.loop.schedule(after: core.configuration.helloDeadline) { [unowned self] in
            timer = nil
            fail(.transport(.deadlineExceeded(.idle)))
        }
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        guard failure == nil else { return }
        decoder.append(bytes)
        do throws(DeviceLinkError) {
            while failure == nil, let frame = try decoder.next() { try handle(frame) }
        } catch {
            fail(error)
        }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        timer?.cancel()
        timer = nil
        core.didClose(self, failure ?? error.map { .transport($0) })
    }

    private func handle(_ frame: DeviceFrame) throws(DeviceLinkError) {
        switch frame {
        case .hello(let hello) where !hasSaidHello:
            hasSaidHello = true
            timer?.cancel()
            timer = nil
            core.didReceiveHello(self, hello)
        case .acknowledgement(let id) where hasSaidHello:
            core.didReceiveAcknowledgement(self, id)
        case .subscribe(let topic, let channel) where hasSaidHello: core.channels.subscribe(id, topic, channel)
        case .unsubscribe(let topic, let channel) where hasSaidHello: core.channels.unsubscribe(id, topic, channel)
        case .register(let registration) where hasSaidHello: core.didReceiveRegistration(self, registration)
        case .unregister(let registration) where hasSaidHello: core.didReceiveUnregistration(self, registration)
        case .state(let state) where hasSaidHello:
            core.didReceiveState(self, state)
        default: throw .unexpectedFrame(type: frame.kind.rawValue)
        }
    }
}
