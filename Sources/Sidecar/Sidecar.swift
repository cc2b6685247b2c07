import Envelope
import HTTP
import HTTPSClient
import Keys
import Networking
import Platform
import Primitives
import Sealing
package import ServiceParts

/// Sidecar's parts, started and stopped in order.
package final class Sidecar: Sendable {
    private let core: LoopBound<SidecarCore>
    private let frontLoop: EventLoop
    private let fronts: [HTTPFront]
    private let socket: SocketFile?
    private let relay: RelayConnection

    /// - Throws: `SidecarStartError`, a sentence each.
    package static func start(
        _ loaded: consuming LoadedSidecar,
        clock: ServiceClock,
        log: ServiceLog
    ) async throws(SidecarStartError) -> Sidecar {
        let configuration = loaded.configuration
        let path = configuration.databaseFile
        let sender = loaded.sender.publicKey.rawRepresentation
        // Stops a second process with this file.
        let store = try SidecarStore(path: path, sender: sender, topic: configuration.topic.bytes, now: clock.wall())
        let socket: SocketFile?
        do throws(SocketFileError) {
            socket = try configuration.socket.map { place throws(SocketFileError) in try SocketFile(place) }
        } catch {
            throw .socket(error)
        }
        let tokenDigest = loaded.tokenDigest
        let relay: RelayConnection
        do throws(HTTPSError) {
            relay = try RelayConnection(configuration.relay, key: loaded.relayKey.copy(storage: .guarded))
        } catch {
            throw .listen(.system(call: "pthread_create", code: EAGAIN))
        }
        do throws(TransportError) {
            let (loop, frontLoop) = (try EventLoop(), try EventLoop())
            let core = SidecarCore(
                loaded,
                store: store,
                relay: relay,
                loop: loop,
                clock: clock,
                log: log
            )
            let box = LoopBound(core, to: loop)
            let fronts = try await listen(configuration, box, frontLoop, tokenDigest: tokenDigest, log, clock)
            await loop.run { box.value.start() }
            return Sidecar(box, frontLoop, fronts, socket, relay)
        } catch {
            throw .listen(error)
        }
    }

    private init(
        _ core: LoopBound<SidecarCore>,
        _ frontLoop: EventLoop,
        _ fronts: [HTTPFront],
        _ socket: SocketFile?,
        _ relay: RelayConnection
    ) {
        self.core = core
        self.frontLoop = frontLoop
        self.fronts = fronts
        self.socket = socket
        self.relay = relay
    }

    private static func listen(
        _ configuration: SidecarConfiguration,
        _ core: LoopBound<SidecarCore>,
        _ loop: EventLoop,
        tokenDigest: consuming SecretBytes?,
        _ log: ServiceLog,
        _ clock: ServiceClock
    ) async throws(TransportError) -> [HTTPFront] {
        var limits = HTTPLimits()
        limits.loopbackConnectionCountMax = 256
        limits.drainDeadline = .seconds(configuration.limits.drainSeconds)
        // A message for a thousand new devices waits for their bundles.
        limits.requestDeadline = .seconds(120)
        let byteCountMax = configuration.limits.bodyByteCountMax
        var fronts: [HTTPFront] = []
        if let socket = configuration.socket {
            let application = SidecarApplication(core, bodyByteCountMax: byteCountMax, tokenDigest: nil)
            fronts.append(
                try await .startUnix(
                    path: socket.path,
                    mode: socket.mode,
                    loop: loop,
                    limits: limits,
                    application: application
                )
            )
            log.event("listening", at: clock.now(), [("socket", socket.path)])
        }
        if let loopback = configuration.loopback {
            let application = SidecarApplication(core, bodyByteCountMax: byteCountMax, tokenDigest: tokenDigest)
            let front: HTTPFront = try await .startPlain(
                port: loopback.port,
                loop: loop,
                limits: limits,
                application: application
            )
            fronts.append(front)
            log.event(
                "listening-loopback",
                at: clock.now(),
                [("address", "127.0.0.1"), ("port", Int(front.loopbackPort ?? 0))]
            )
        }
        return fronts
    }

    /// Takes nothing new, answers what was taken, waits for the relay's answers, and closes the file.
    package func stop() async {
        let core = core
        socket?.remove()
        for front in fronts { await front.close() }
        await Task(executorPreference: core.loop) { await core.value.stop() }.value
        relay.stop()
        frontLoop.stop()
        core.loop.stop()
    }
}
