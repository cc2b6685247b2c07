import CommandLineTool
import Envelope
import Keys
import NotificationCore
import RelayClient

/// Servers that the phone's app lets push, and those that it cuts off.
struct PhoneEndpoints: Sendable {
    struct Server {
        let name: String
        let vapidKey: String?
        let path: String
    }

    let key: EndpointKey
    private let wanted: [Server]
    private let revoked: [String]
    private let lifetime: EndpointLifetime?

    /// Reads the app's key, or makes it.
    init(_ arguments: Arguments, _ container: borrowing AppContainer) throws(CommandError) {
        wanted = try arguments.endpoints("--endpoint")
        revoked = arguments.values("--revoke-endpoint")
        lifetime = try arguments.lifetime("--endpoint-lifetime")
        let path = container.privatePath + "-endpoint-key"
        do throws(FileError) {
            let text = String(decoding: try WholeFile.read(path, byteCountMax: 64), as: UTF8.self)
            guard let key = EndpointKey(text: text) else { throw .malformed(path: path, expected: "an endpoint key") }
            self.key = key
        } catch .notFound {
            key = EndpointKey()
            do throws(FileError) { try WholeFile.write(Array(key.text.utf8), to: path, access: .ownerOnly) } catch {
                throw .file(error)
            }
        } catch {
            throw .file(error)
        }
    }

    /// Cuts servers off, then makes what is missing. Without the relay, or before it has the key's hash, the next run
    /// does.
    func run(_ device: AppDevice, _ relay: RelayClient) async throws(CommandError) {
        for (path, subscription) in try await subscriptions(device, relay) {
            do throws(FileError) {
                try WholeFile.write(subscription.json + [0x0A], to: path, access: .ownerOnly)
            } catch {
                throw .file(error)
            }
        }
    }

    private func subscriptions(
        _ device: AppDevice,
        _ relay: RelayClient
    ) async throws(CommandError) -> [(path: String, ServerSubscription)] {
        var made: [(path: String, ServerSubscription)] = []
        do throws(SubscriptionError) {
            for (id, server) in try servers(device) where revoked.contains(server) {
                try await relay.unsubscribe(device, from: id, with: key)
            }
            if !wanted.isEmpty { try await dropGone(device, relay) }
            let names = Set(try servers(device).values)
            for server in wanted where !names.contains(server.name) {
                let subscription = try await relay.subscribe(
                    device,
                    to: server.name,
                    serverKey: server.vapidKey,
                    lifetime: lifetime,
                    with: key
                )
                made.append((server.path, subscription))
            }
        } catch {
            if case .device(let error) = error { throw .failed(error.sentence) }
        }
        return made
    }

    /// Destroys the keys of endpoints that have expired at the relay.
    private func dropGone(_ device: AppDevice, _ relay: RelayClient) async throws(SubscriptionError) {
        let there: [EndpointID]
        do { there = try await relay.endpointIDs(key) } catch { throw .relay(error) }
        for id in try servers(device).keys where !there.contains(id) {
            try await relay.unsubscribe(device, from: id, with: key)
        }
    }

    private func servers(_ device: AppDevice) throws(SubscriptionError) -> [EndpointID: String] {
        do { return try device.webPushServers() } catch { throw .device(error) }
    }
}
