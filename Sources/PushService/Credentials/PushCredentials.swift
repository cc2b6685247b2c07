import APNS
package import APNSProvider
package import Envelope
package import Networking
import PushStore

/// Clients, one for each credential and endpoint. Lives on the loop.
///
/// Clients report ambiguous results (`AmbiguityPolicy.report`): each retry is on disk before it goes out. They resend
/// once what APNs certainly has not processed: after GOAWAY, a refused stream, an expired token.
package final class PushCredentials {
    final class Entry {
        /// Never reused.
        let number: Int
        let client: APNSClient
        var credential: APNSCredential
        var digest: [UInt8]
        let trust: TLSTrust
        var places: [CredentialPlan.Place] = []

        init(number: Int, client: APNSClient, material: CredentialPlan.Material) {
            self.number = number
            self.client = client
            credential = material.credential
            digest = material.digest
            trust = material.trust
        }
    }

    private let loop: EventLoop
    private let now: @Sendable () -> Timestamp
    /// Called when a client may have room. On the loop.
    let onRoom = RoomSignal()
    let earlier = EarlierAttempts()
    private var template: APNSClientConfiguration
    private(set) var entries: [CredentialPlan.Key: Entry] = [:]
    private var places: [CredentialPlan.Place: Entry] = [:]
    private var numbers: [Int: Entry] = [:]
    private var lastNumber = 0

    package init(
        loop: EventLoop,
        now: @escaping @Sendable () -> Timestamp,
        configure: (inout APNSClientConfiguration) -> Void = { _ in }
    ) {
        self.loop = loop
        self.now = now
        var template = APNSClientConfiguration()
        template.ambiguity = .report
        template.attemptCountMax = 2
        template.keepsUnsent = false
        configure(&template)
        template.loop = loop
        self.template = template
    }

    func entry(tenant: TenantID, bundleID: BundleID, environment: APNSEnvironment) -> Entry? {
        places[CredentialPlan.Place(tenant: tenant, bundleID: bundleID, environment: environment)]
    }

    func entry(number: Int) -> Entry? { numbers[number] }

    /// Adopts a plan. Clients with unchanged files stay; others get the new credential, or answer and close.
    ///
    /// - Throws: if a client cannot be made, before any change; if a credential cannot be replaced, perhaps after
    ///   others.
    package func adopt(_ plan: CredentialPlan) async throws(ProviderError) {
        var made: [CredentialPlan.Key: Entry] = [:]
        for (key, material) in plan.materials where entries[key] == nil {
            lastNumber += 1
            made[key] = Entry(number: lastNumber, client: try client(for: key, material), material: material)
        }
        for (key, material) in plan.materials {
            guard let entry = entries[key], entry.digest != material.digest else { continue }
            // A failure leaves the old credential.
            try await entry.client.replaceCredential(material.credential)
            entry.credential = material.credential
            entry.digest = material.digest
        }
        // The limit may have changed meanwhile.
        for entry in made.values { entry.client.limitConnections(to: template.connectionCountMax) }
        let gone = entries.filter { plan.materials[$0.key] == nil }.map(\.value)
        entries = entries.filter { plan.materials[$0.key] != nil }.merging(made) { old, _ in old }
        numbers = [:]
        for entry in entries.values {
            entry.places = []
            numbers[entry.number] = entry
        }
        places = [:]
        for (place, key) in plan.places {
            guard let entry = entries[key] else { continue }
            places[place] = entry
            entry.places.append(place)
        }
        // Its pushes are answered first, which can take long.
        for client in gone.map(\.client) { Task { await client.close() } }
    }

    /// Bounds each client's connections from now on.
    func limitConnections(to countMax: Int) {
        guard template.connectionCountMax != countMax else { return }
        template.connectionCountMax = countMax
        for entry in entries.values { entry.client.limitConnections(to: countMax) }
    }

    func resume(_ number: Int? = nil) async {
        for entry in entries.values where number == nil || entry.number == number { await entry.client.resume() }
    }

    package func close(gracefully: Bool) async {
        let all = Array(entries.values)
        entries = [:]
        places = [:]
        numbers = [:]
        for entry in all { await entry.client.close(gracefully: gracefully) }
    }

    /// Age of the oldest provider token in use.
    func providerTokenAgeSeconds(at now: Moment) -> Int? {
        entries.values.compactMap { entry in
            guard case .token(let source) = entry.credential else { return nil }
            return source.tokenAgeSeconds(at: now).map { Int(clamping: $0) }
        }.max()
    }

    private func client(for key: CredentialPlan.Key, _ material: CredentialPlan.Material) throws(ProviderError)
        -> APNSClient
    {
        var configuration = template
        configuration.trust = material.trust
        configuration.onEarlierAttempt = { [now, earlier = LoopBound(earlier, to: loop)] id, cause in
            earlier.value.note(id, cause, at: now())
        }
        configuration.onRoom = { [signal = LoopBound(onRoom, to: loop)] in signal.value.notify() }
        return try APNSClient(endpoint: key.endpoint, credential: material.credential, configuration: configuration)
    }
}

/// Callback, set after the clients. On the loop.
final class RoomSignal {
    var notify: () -> Void = {}
}
