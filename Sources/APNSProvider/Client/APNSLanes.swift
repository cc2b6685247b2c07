public import APNS
import Platform
import Transport

/// Every lane of a service that pushes for several apps, teams or environments: one client for each credential at each
/// endpoint, all on one loop. What happens to one lane never touches another.
public final class APNSLanes: Sendable {
    /// Names a lane.
    public struct Lane: Hashable, Sendable {
        /// Whose key.
        public let teamID: TeamID
        /// Which key.
        public let keyID: KeyID
        /// Where to.
        public let endpoint: APNSEndpoint

        /// Names a lane, whether it exists or not.
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
        var clients: [Lane: APNSClient] = [:]
    }

    private let configuration: APNSClientConfiguration
    private let ownsLoop: Bool
    private let state = Guarded(State())

    /// - Parameter configuration: every lane's.
    /// - Throws: `.system` when there is no thread to be had.
    public init(configuration: APNSClientConfiguration = APNSClientConfiguration()) throws(ProviderError) {
        ownsLoop = configuration.loop == nil
        var configuration = configuration
        configuration.loop = try configuration.loopOrNew()
        self.configuration = configuration
    }

    deinit {
        if ownsLoop { configuration.loop?.stopLater() }
    }

    /// The client for a lane, made when it is first asked for; nil when its key has not been added.
    ///
    /// - Throws: as `APNSClient.init`.
    public func client(for lane: Lane) throws(ProviderError) -> APNSClient? {
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

    /// Adds a key, or puts another in its place: then every connection of its lanes is replaced, and no other is touched.
    /// Its lanes share one provider token.
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

    /// Forgets a key, revoked for instance. Its connections close at once, and what was on its way fails.
    public func removeKey(_ keyID: KeyID, of teamID: TeamID) async {
        let clients = state.withLock { state in
            state.sources[Account(teamID: teamID, keyID: keyID)] = nil
            let lanes = state.clients.keys.filter { $0.teamID == teamID && $0.keyID == keyID }
            return lanes.compactMap { state.clients.removeValue(forKey: $0) }
        }
        for client in clients { await client.close(gracefully: false) }
    }

    /// Closes every lane.
    public func close(gracefully: Bool = true) async {
        let clients = state.withLock { state in
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { await client.close(gracefully: gracefully) }
    }
}
