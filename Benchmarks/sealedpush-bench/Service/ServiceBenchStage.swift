import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Keys
import Platform
import Primitives
import PushStore
import Transport

/// What is around the relay of `sealedpush-bench service`: a simulator in this process, keys, and a store full of devices.
final class ServiceBenchStage: Sendable {
    /// The relay's, and of all else.
    private static let relayProcessor: Int32 = 0
    private static let ownProcessor: Int32 = 1
    /// Left behind by a relay of before, for one that is killed.
    private static let expiredCount = 100

    let load: ServiceLoad
    private let apns: ServiceAPNS
    private let configuration: RelayConfiguration
    private let authorities: [UInt8]
    private let stop: StopSignal
    private let loop: EventLoop
    /// The store as `fill` has left it.
    private let resident = Guarded<ResidentFile?>(nil)

    /// - Parameters:
    ///   - load: what will be posted.
    ///   - keys: the example keys.
    ///   - folder: the relay's.
    ///   - stop: ends every wait for a process.
    /// - Throws: what a file or a process says.
    init(_ load: ServiceLoad, keys: String, folder: String, stop: StopSignal) async throws(CommandFailure) {
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
        configuration.takesReceipts = load.receiptPercent > 0
        if load.isMixed { configuration.moreTopics = [ServiceAPNS.parkedTopic] }
        configuration.limits = [
            ("requests-per-second-of-address", 1_000_000), ("pushes-per-minute-of-device", 60_000),
            ("push-burst-of-device", 1_000),
        ]
        self.configuration = configuration
        try RelayProcess.makeTokenKey(configuration, stop: stop)
        // What there is of threads; later ones are theirs.
        if Self.hasTwoProcessors { try Processors.use(only: Self.ownProcessor) }
    }

    static var hasTwoProcessors: Bool { Processors.count > 1 }

    /// Registers the devices. They are on the disk in the end, and not before: ten million would wait for it for
    /// minutes, and what is left to write would be written while the relay is timed. They are in the page cache too, and stay
    /// there, as those of a relay that has run for a while are, where that is large enough.
    ///
    /// - Returns: how long that took.
    /// - Throws: what the store says; `ServiceBenchError.stopped`.
    func fill() async throws -> Duration {
        let start = ContinuousClock.now
        let fleet = try await ServiceFleet(for: load, at: apns)
        let store = try openStore(StoreSettings(synchronous: .off))
        try await fleet.register(in: store, now: .now)
        if load.isMixed { try await ServiceFleet.leaveExpired(Self.expiredCount, in: store, now: .now) }
        await store.close()
        DiskSync.sync(configuration.databaseFile)
        resident.withLock { $0 = ResidentFile(configuration.databaseFile) }
        return start.duration(to: .now)
    }

    /// A relay's life: it is measured, stopped, and judged by what it left.
    ///
    /// - Parameters:
    ///   - text: where results go.
    ///   - measure: gives the relay its load; the last tally of it.
    /// - Throws: what a process says; why a load had no end; a failure where the relay did again what needs no repeating.
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
        let target = ServiceTarget(port: UInt16(process.port), apiKey: process.apiKey, trust: .pem(authorities))
        return ServiceBenchRelay(
            process: process,
            log: log,
            driver: ServiceDriver(target, apns: apns, loop: loop, isRelayAlive: { !log.isEnded }),
            processor: Self.hasTwoProcessors ? Int(Self.relayProcessor) : nil,
            driverProcessor: Self.hasTwoProcessors ? Int(Self.ownProcessor) : nil
        )
    }

    /// The relay's store, while no relay runs.
    func openStore(_ settings: StoreSettings = StoreSettings()) throws -> SQLiteStore {
        let key = try StoreKey(try PrivateFile.read(configuration.tokenKeyFile, exampleKeys: .refused))
        return try SQLiteStore(path: configuration.databaseFile, key: key, settings: settings, now: .now)
    }

    /// Says what came again in a life, by what the relay has left behind. It runs no more.
    ///
    /// - Parameters:
    ///   - tally: of the last load.
    ///   - text: where that is said.
    /// - Throws: what the store says; a failure where the relay sent again what APNs had answered.
    func judge(_ tally: ServiceTally, _ text: ServiceBenchText) async throws {
        let store = try openStore()
        let judge = try await RepeatJudge(tally.repeats, in: store)
        await store.close()
        try text.printRepeats(judge)
        guard judge.isGood else {
            throw CommandFailure.failed("the relay sent again what APNs had answered")
        }
    }

    func close() async {
        await apns.close()
        loop.stop()
    }

    private static func startAPNS(_ keys: String) async throws(CommandFailure) -> ServiceAPNS {
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
