import APNS
import APNSSimulator
package import Networking
import Platform
package import Primitives

/// The simulator behind the relay, in the driver's process, so that arrivals are seen at once.
package final class ServiceAPNS: Sendable {
    /// Reports every push answered with 200: its notification's number and its apns-id.
    private final class Watcher: Sendable {
        /// Wraps the closure: each access of a lock's generic value would add another function around a bare one, until
        /// a call went through thousands.
        private struct Watch: Sendable {
            let body: @Sendable (Int, [UInt8]) -> Void
        }

        private let watch = Guarded(Watch { _, _ in })

        func replace(_ body: @escaping @Sendable (Int, [UInt8]) -> Void) { watch.withLock { $0 = Watch(body: body) } }

        func see(_ event: SimulatorEvent) {
            guard case .accepted(let push, _) = event, let number = ServiceBodies.number(payload: push.payload) else {
                return
            }
            watch.withLock { $0 }.body(number, push.answeredID)
        }
    }

    package static let parkedTopic = ServiceBodies.parkedTopic

    private let simulator: Simulator
    private let watcher: Watcher

    package init(
        certificateChainPEM: [UInt8],
        privateKeyPEM: borrowing SecretBytes,
        keyID: String,
        teamID: String,
        publicKeyPEM: [UInt8],
        loop: EventLoop
    ) async throws {
        let key = SigningKey(
            id: try KeyID(keyID),
            team: try TeamID(teamID),
            publicKey: try ES256PublicKey(pem: unsafe publicKeyPEM.span.bytes),
            bundleIDs: [try Topic(ServiceBodies.topic)]
        )
        let identity = try privateKeyPEM.withBytes { span throws(TLSError) in
            try SimulatorIdentity(certificateChainPEM: certificateChainPEM, privateKeyPEM: span)
        }
        var configuration = SimulatorConfiguration(keys: [key])
        configuration.startsWithOneStream = false
        let watcher = Watcher()
        self.watcher = watcher
        simulator = try await .start(configuration, identity: identity, loop: loop, onEvent: { watcher.see($0) })
    }

    package var port: UInt16 { simulator.pushPort }

    /// Replaces the handler of arrivals; called on the simulator's loop.
    package func watch(_ watch: @escaping @Sendable (Int, [UInt8]) -> Void) { watcher.replace(watch) }

    /// Issues device tokens.
    ///
    /// - Parameter isGone: True for devices whose app was removed again.
    func enrol(_ count: Int, _ topic: String, isGone: Bool = false) async throws -> [DeviceToken] {
        let topic = try Topic(topic)
        var tokens: [DeviceToken] = []
        for _ in 0..<count {
            let token = try await simulator.enrol(topic)
            if isGone { await simulator.unregister(token) }
            tokens.append(token)
        }
        return tokens
    }

    package func close() async { _ = await simulator.close() }
}
