import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Keys
import Networking
import Platform
import Primitives
import PushStore

#if POSTGRESQL
import PostgreSQL
import PostgreSQLStore
#endif

/// Surroundings of the relay in `sealedpush-bench service`: a simulator in this process, keys, and a store full of
/// devices.
final class ServiceBenchStage: Sendable {
    /// Processor of the relay, and of everything else.
    private static let relayProcessor: Int32 = 0
    private static let ownProcessor: Int32 = 1
    /// Expired entries left in the store for a relay that is killed.
    private static let expiredCount = 100

    let load: ServiceLoad
    private let apns: ServiceAPNS
    private let configuration: RelayConfiguration
    private let authorities: [UInt8]
    private let stop: StopSignal
    private let loop: EventLoop
    /// Keeps the filled store in the page cache.
    private let resident = Guarded<ResidentFile?>(nil)

    /// - Parameter databaseURLFile: nil: SQLite.
    init(
        _ load: ServiceLoad,
        keys: String,
        folder: String,
        databaseURLFile: String? = nil,
        stop: StopSignal
    ) async throws(CommandError) {
        self.load = load
        self.stop = stop
        apns = try await Self.startAPNS(keys)
        authorities = try readInput(keys + "/ca.pem", byteCountMax: 1 << 20)
        do { loop = try EventLoop() } catch { throw .failed(error.sentence) }
        var configuration = RelayConfiguration(
            keys: try AbsolutePath.of(keys),
            folder: try AbsolutePath.of(folder),
            pushPort: Int64(apns.port)
        )
        if let databaseURLFile { configuration.databaseURLFile = try AbsolutePath.of(databaseURLFile) }
        configuration.tenants = load.tenants
        configuration.takesReceipts = load.receiptPercent > 0
        if load.isThroughEndpoints { configuration.endpointPushesPerSecond = 1_000_000 }
        // The limit of an app that sets none.
        if load.strangersRate != nil { configuration.endpointPushesPerSecond = 500 }
        if load.isMixed { configuration.moreTopics = [ServiceAPNS.parkedTopic] }
        configuration.limits = [
            ("requests-per-second-of-address", 1_000_000), ("pushes-per-minute-of-device", 60_000),
            ("push-burst-of-device", 1_000),
        ]
        self.configuration = configuration
        try RelayProcess.makeTokenKey(configuration, stop: stop)
        // Binds the existing threads; later ones inherit it.
        if Self.hasTwoProcessors { try Processors.use(only: Self.ownProcessor) }
    }

    static var hasTwoProcessors: Bool { Processors.count > 1 }

    /// Registers the devices, and flushes them to the disk only at the end. Flushing all along would take minutes for
    /// ten million, and unwritten pages would be written while the relay is timed. They stay in a page cache that is
    /// large enough, as with a relay that has run for a while.
    ///
    /// - Throws: The store's error; `ServiceBenchError.stopped`.
    func fill() async throws -> Duration {
        let start = ContinuousClock.now
        let fleet = try await ServiceFleet(for: load, at: apns)
        let store = try await open(StoreSettings(synchronous: .off))
        try await fleet.register(in: store, now: .now)
        if load.isMixed { try await ServiceFleet.leaveExpired(Self.expiredCount, in: store, now: .now) }
        await store.close()
        guard configuration.databaseURLFile == nil else { return start.duration(to: .now) }
        DiskSync.sync(configuration.databaseFile)
        resident.withLock { $0 = ResidentFile(configuration.databaseFile) }
        return start.duration(to: .now)
    }

    /// Runs a relay: measures, stops and judges it by its store.
    ///
    /// - Parameter measure: Posts the relay's load and returns the last tally.
    /// - Throws: Also a failure if the relay repeated a push needlessly.
    func withRelay(
        _ text: ServiceBenchText,
        _ measure: (ServiceBenchRelay) async throws -> ServiceTally
    ) async throws {
        let relay = try startRelay()
        do {
            let tally = try await measure(relay)
            relay.process.stop()
            try await judge(tally, text)
        } catch {
            relay.process.crash()
            throw relay.failure(error)
        }
    }

    /// Starts the relay on one processor; driver and simulator have another.
    func startRelay() throws -> ServiceBenchRelay {
        let process = try RelayProcess(
            configuration,
            processor: Self.hasTwoProcessors ? Self.relayProcessor : nil,
            stop: stop
        )
        let log = process.drainLog()
        let target = ServiceTarget(port: UInt16(process.port), apiKeys: process.apiKeys, trust: .pem(authorities))
        return ServiceBenchRelay(
            process: process,
            log: log,
            driver: ServiceDriver(target, apns: apns, loop: loop, isRelayAlive: { !log.isEnded }),
            processor: Self.hasTwoProcessors ? Int(Self.relayProcessor) : nil,
            driverProcessor: Self.hasTwoProcessors ? Int(Self.ownProcessor) : nil,
            usesDatabase: configuration.databaseURLFile != nil
        )
    }

    func openStore(_ settings: StoreSettings = StoreSettings()) throws -> SQLiteStore {
        let key = try StoreKey(try PrivateFile.read(configuration.tokenKeyFile, exampleKeys: .refused))
        return try SQLiteStore(path: configuration.databaseFile, key: key, settings: settings, now: .now)
    }

    private func open(_ settings: StoreSettings = StoreSettings()) async throws -> any RelayStore {
        guard let file = configuration.databaseURLFile else { return try openStore(settings) }
        #if POSTGRESQL
        let key = try StoreKey(try PrivateFile.read(configuration.tokenKeyFile, exampleKeys: .refused))
        let url = String(decoding: try readInput(file, byteCountMax: 4_096), as: UTF8.self)
        var random = SystemRandom()
        let relay = RelayID(bytes: random.bytes(count: RelayID.byteCount))
        var session = SessionSettings()
        session.applicationName = LeaseTable.applicationName(relay)
        let pool = DatabasePool(try DatabaseURL(String(url.prefix { $0 != "\n" })), on: loop, settings: session)
        _ = try await SchemaMigration.run(pool)
        return try await PostgreSQLStore.open(pool, key: key, relay: relay, now: .now)
        #else
        throw CommandError.failed("\(file): this program has no client of PostgreSQL")
        #endif
    }

    /// Name of the engine.
    var engine: String { configuration.databaseURLFile == nil ? "SQLite" : "PostgreSQL" }

    /// Prints the repetitions of a stopped relay, judged by its store.
    ///
    /// - Throws: Also a failure if the relay repeated a push that APNs had answered.
    func judge(_ tally: ServiceTally, _ text: ServiceBenchText) async throws {
        let store = try await open()
        let verifier = try await RepeatVerifier(tally.repeats, in: store)
        await store.close()
        try text.printRepeats(verifier)
        guard verifier.isGood else {
            throw CommandError.failed("the relay sent again what APNs had answered")
        }
    }

    func close() async {
        await apns.close()
        loop.stop()
    }

    private static func startAPNS(_ keys: String) async throws(CommandError) -> ServiceAPNS {
        let chain = try readInput(keys + "/simulator.pem", byteCountMax: 1 << 20)
        let providerKey = try readInput(keys + "/provider.pub.pem", byteCountMax: 1 << 20)
        let privateKey: SecretBytes
        do throws(FileError) {
            privateKey = try PrivateFile.read(keys + "/simulator.key", exampleKeys: .allowed)
        } catch {
            throw .file(error)
        }
        do {
            return try await ServiceAPNS(
                certificateChainPEM: chain,
                privateKeyPEM: privateKey,
                keyID: RelayConfiguration.keyID,
                teamID: RelayConfiguration.teamID,
                publicKeyPEM: providerKey,
                loop: try EventLoop()
            )
        } catch {
            throw .failed("the simulator did not start: \(error)")
        }
    }
}
