import APNSSimulator
import Glibc
import Networking

/// A fault server's state on its loop: listener, connections, plan and record.
final class FaultServerCore {
    private let identities: FaultIdentities
    private let loop: EventLoop
    var plan: FaultPlan
    var ledger = FaultLedger()
    /// Reserves the port while the listener is closed.
    private var holder: Int32?
    private var port: UInt16 = 0
    private var listener: (descriptor: Int32, watch: EventLoop.Watch)?
    private var connections: [ObjectIdentifier: FaultConnection] = [:]

    init(_ plan: FaultPlan, _ identities: FaultIdentities, _ loop: EventLoop) {
        self.plan = plan
        self.identities = identities
        self.loop = loop
    }

    func open() throws(TransportError) -> UInt16 {
        let (descriptor, port) = try FaultSocket.bound(to: 0)
        holder = descriptor
        self.port = port
        try listen()
        return port
    }

    private func listen() throws(TransportError) {
        guard holder != nil, listener == nil else { return }
        let (descriptor, _) = try FaultSocket.bound(to: port)
        guard Glibc.listen(descriptor, 128) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .system(call: "listen", code: code)
        }
        do throws(TransportError) {
            listener = (descriptor, try loop.watch(descriptor, for: .read, handler: self))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private func stopListening() {
        guard let (descriptor, watch) = listener else { return }
        loop.unwatch(watch)
        Glibc.close(descriptor)
        listener = nil
    }

    func close() {
        stopListening()
        if let holder { Glibc.close(holder) }
        holder = nil
        for connection in connections.values { connection.channel.reset() }
    }

    // MARK: Connections

    private func didAccept(_ descriptor: Int32) {
        let plan = self.plan.nextConnection()
        let number = ledger.didAccept(at: .now(), plan.connectFault)
        if plan.connectFault != nil { ledger.didMeetFault() }
        let channel: FaultChannel
        do throws(TransportError) {
            channel = try FaultChannel(descriptor, context: identities.context(for: plan.connectFault), loop: loop)
        } catch {
            Glibc.close(descriptor)
            return
        }
        let connection = FaultConnection(channel, plan, number: number, core: self)
        connections[ObjectIdentifier(connection)] = connection
        channel.start(connection, onHello: onHello(plan.connectFault, channel))
        switch plan.connectFault {
        case .refused(let duration):
            // First, as a client may reconnect as soon as it sees the reset.
            refuse(for: duration)
            channel.reset()
        case .reset: channel.reset()
        default: break
        }
    }

    /// Action instead of the server's hello; nil for the hello.
    private func onHello(_ fault: ConnectFault?, _ channel: FaultChannel) -> (() -> Void)? {
        switch fault {
        case .silence: {}
        case .alert(let code):
            { [unowned channel] in
                channel.writeRaw([21, 3, 3, 0, 2, 2, code])
                channel.cut()
            }
        case .cut: { [unowned channel] in channel.cut() }
        case .notTLS:
            { [unowned channel] in
                channel.writeRaw(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
                channel.cut()
            }
        case .refused, .reset, .certificate, .noSettings, .goAway, nil: nil
        }
    }

    private func refuse(for duration: Duration) {
        stopListening()
        loop.schedule(after: duration) { [weak self] in
            guard let self else { return }
            do throws(TransportError) {
                try listen()
            } catch {
                // Extends the same fault.
                refuse(for: .milliseconds(10))
            }
        }
    }

    func didEnd(_ connection: FaultConnection, _ number: Int) {
        ledger.didEnd(number, at: .now())
        connections[ObjectIdentifier(connection)] = nil
    }

    // MARK: Faults

    func nextRequest() -> FaultPlan.Request { plan.nextRequest() }

    func carryOut(_ fault: ConnectionFault) {
        for connection in connections.values { connection.carryOut(fault) }
    }
}

extension FaultServerCore: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        // Ends when no connection waits, or when a fault has stopped the listener.
        while let (listener, _) = listener, let descriptor = FaultSocket.accept(listener) { didAccept(descriptor) }
    }

    func handleLoopStop() { close() }
}
