import APNS
package import APNSProvider
package import Envelope
import PushStore
package import Transport

/// The clients: one for each credential at each endpoint, all on the loop. Lives on it.
///
/// Each push is one attempt as the outbox counts it: a client reports what is unclear (`AmbiguityPolicy.report`), so
/// that every repetition is on the disk before it goes out, with its apns-id and "maybe twice", and survives a crash.
/// What APNs has certainly not processed (GOAWAY, a refused stream, a token that was too old) the client sends once
/// more by itself; after that the outbox decides.
package final class PushLanes {
    /// One client and what the dispatcher has to know of it.
    final class Entry {
        /// Names it in `SuspensionBook`; never used again.
        let number: Int
        let client: APNSClient
        var credential: APNSCredential
        var digest: [UInt8]
        /// Whose certificates are believed there.
        let trust: TLSTrust
        /// Who pushes through it.
        var places: [LanePlan.Place] = []

        init(number: Int, client: APNSClient, material: LanePlan.Material) {
            self.number = number
            self.client = client
            credential = material.credential
            digest = material.digest
            trust = material.trust
        }
    }

    private let loop: EventLoop
    private let now: @Sendable () -> Timestamp
    /// Called when a client that was asked to connect or to grow may have room. On the loop.
    let onRoom = RoomSignal()
    /// What they sent again by themselves.
    let earlier = EarlierAttempts()
    /// What all clients have in common but the trust; tests make it patient.
    private let template: APNSClientConfiguration
    private(set) var entries: [LanePlan.Key: Entry] = [:]
    private var places: [LanePlan.Place: Entry] = [:]
    private var numbers: [Int: Entry] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - loop: the service's.
    ///   - now: the time of attempts.
    ///   - configure: changes the clients' configuration, for tests.
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

    /// Where an app's pushes go; nil for an app that is not configured.
    func entry(tenant: TenantID, bundleID: String, environment: APNSEnvironment) -> Entry? {
        places[LanePlan.Place(tenant: tenant, bundleID: bundleID, environment: environment)]
    }

    func entry(number: Int) -> Entry? { numbers[number] }

    /// Takes up a plan: clients whose files and names are as they were are not touched, those with other files get
    /// the new credential, and those that nobody needs any more close when they have their answers. On the loop.
    ///
    /// - Throws: what kept a new client from being made; then all is as it was.
    package func adopt(_ plan: LanePlan) async throws(ProviderError) {
        var made: [LanePlan.Key: Entry] = [:]
        for (key, material) in plan.materials where entries[key] == nil {
            lastNumber += 1
            made[key] = Entry(number: lastNumber, client: try client(for: key, material), material: material)
        }
        for (key, material) in plan.materials {
            guard let entry = entries[key], entry.digest != material.digest else { continue }
            // One that cannot be taken up leaves the old one.
            try await entry.client.replaceCredential(material.credential)
            entry.credential = material.credential
            entry.digest = material.digest
        }
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
        // Its pushes have their answers first, however long that takes: nobody waits for it.
        for client in gone.map(\.client) { Task { await client.close() } }
    }

    /// Those that were suspended send again.
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

    /// - Returns: of the oldest provider token that pushes go out with; nil without one.
    func providerTokenAgeSeconds(at now: Moment) -> Int? {
        entries.values.compactMap { entry in
            guard case .token(let source) = entry.credential else { return nil }
            return source.tokenAgeSeconds(at: now).map { Int(clamping: $0) }
        }.max()
    }

    private func client(for key: LanePlan.Key, _ material: LanePlan.Material) throws(ProviderError) -> APNSClient {
        var configuration = template
        configuration.trust = material.trust
        configuration.onEarlierAttempt = { [now, earlier = LoopBound(earlier, to: loop)] id, cause in
            earlier.value.note(id, cause, at: now())
        }
        configuration.onRoom = { [signal = LoopBound(onRoom, to: loop)] in signal.value.notify() }
        return try APNSClient(endpoint: key.endpoint, credential: material.credential, configuration: configuration)
    }
}

/// A callback that is set later than the clients that call it are made. Lives on the loop.
final class RoomSignal {
    var notify: () -> Void = {}
}
