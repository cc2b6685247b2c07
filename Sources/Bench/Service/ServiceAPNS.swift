package import APNS
package import APNSSimulator
package import Primitives
import Synchronization
package import Transport

/// The simulator behind the relay: in the driver's process, so that an arrival is seen when it happens.
package final class ServiceAPNS: Sendable {
    /// Every push that was answered with 200, by its notification's number.
    private final class Watcher: Sendable {
        private let watch = Mutex<@Sendable (Int) -> Void>({ _ in })

        func replace(_ watch: @escaping @Sendable (Int) -> Void) { self.watch.withLock { $0 = watch } }

        func see(_ event: SimulatorEvent) {
            guard case .accepted(let push, _) = event, let number = ServiceBodies.number(payload: push.payload) else {
                return
            }
            watch.withLock { $0 }(number)
        }
    }

    private let simulator: Simulator
    private let watcher: Watcher

    /// Listens on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: the server's.
    ///   - privateKeyPEM: its key.
    ///   - key: of whoever pushes.
    ///   - loop: where it lives.
    /// - Throws: what the simulator says.
    package init(
        certificateChainPEM: [UInt8],
        privateKeyPEM: borrowing SecretBytes,
        key: SigningKey,
        loop: EventLoop
    ) async throws {
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

    /// Who is told of arrivals from now on; on the simulator's loop.
    package func watch(_ watch: @escaping @Sendable (Int) -> Void) { watcher.replace(watch) }

    /// Device tokens for the bench's app; nobody holds the devices.
    package func enrol(_ count: Int) async throws -> [DeviceToken] {
        let topic = try Topic(ServiceBodies.topic)
        var tokens: [DeviceToken] = []
        for _ in 0..<count { tokens.append(try await simulator.enrol(topic)) }
        return tokens
    }

    package func close() async { _ = await simulator.close() }
}
