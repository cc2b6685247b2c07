public import APNS
import Networking
import Platform

/// Independent clients on one loop: one for each credential and endpoint of a service.
public final class APNSClients: Sendable {
    /// Identifies a client.
    public struct Key: Hashable, Sendable {
        /// Key's team.
        public let teamID: TeamID
        /// The key.
        public let keyID: KeyID
        /// The server.
        public let endpoint: APNSEndpoint

        /// Identifies a client, which need not exist.
        public init(teamID: TeamID, keyID: KeyID, endpoint: APNSEndpoint) {
            self.teamID = teamID
            self.keyID = keyID
            self.endpoint = endpoint
        }
    }

    private struct Account: Hashable {
        let teamID: TeamID
        let keyID: KeyID
    }

    private struct State {
        var sources: [Account: ProviderTokenSource] = [:]
        var clients: [Key: APNSClient] = [:]
    }

    private let configuration: APNSClientConfiguration
    private let ownsLoop: Bool
    private let state = Guarded(State())

    /// - Parameter configuration: For every client.
    /// - Throws: `.system` without a thread.
    public init(configuration: APNSClientConfiguration = APNSClientConfiguration()) throws(ProviderError) {
        ownsLoop = configuration.loop == nil
        var configuration = configuration
        configuration.loop = try configuration.loopOrNew()
        self.configuration = configuration
    }

    deinit {
        if ownsLoop { configuration.loop?.stopLater() }
    }

    /// Client, made at the first call; nil if its key has not been added.
    ///
    /// - Throws: As `APNSClient.init`.
    public func client(for lane: Key) throws(ProviderError) -> APNSClient? {
        let account = Account(teamID: lane.teamID, keyID: lane.keyID)
        return try state.withLock { state throws(ProviderError) in
            if let client = state.clients[lane] { return client }
            guard let source = state.sources[account] else { return nil }
            let client = try APNSClient(
                endpoint: lane.endpoint,
                credential: .token(source),
                configuration: configuration
            )
            state.clients[lane] = client
            return client
        }
    }

    /// Adds or replaces a key. Its clients share one provider token.
    public func setKey(_ source: ProviderTokenSource) async throws(ProviderError) {
        for client in replace(source) { try await client.replaceCredential(.token(source)) }
    }

    private func replace(_ source: ProviderTokenSource) -> [APNSClient] {
        let account = Account(teamID: source.teamID, keyID: source.keyID)
        return state.withLock { state in
            state.sources[account] = source
            return state.clients.filter { $0.key.teamID == source.teamID && $0.key.keyID == source.keyID }.map(\.value)
        }
    }

    /// Removes a key. Its connections close at once, and pushes in flight fail.
    public func removeKey(_ keyID: KeyID, of teamID: TeamID) async {
        let clients = state.withLock { state in
            state.sources[Account(teamID: teamID, keyID: keyID)] = nil
            let lanes = state.clients.keys.filter { $0.teamID == teamID && $0.keyID == keyID }
            return lanes.compactMap { state.clients.removeValue(forKey: $0) }
        }
        for client in clients { await client.close(gracefully: false) }
    }

    /// Closes every client.
    public func close(gracefully: Bool = true) async {
        let clients = state.withLock { state in
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { await client.close(gracefully: gracefully) }
    }
}
