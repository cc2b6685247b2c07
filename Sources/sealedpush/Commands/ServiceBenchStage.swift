import APNS
import APNSSimulator
import Bench
import Envelope
import Keys
import Primitives
import PushStore
import Transport

/// What is around the relay of `bench service`: a simulator in this process, keys, and a store full of devices.
final class ServiceBenchStage: Sendable {
    private static let keys = "keys-example"
    /// Of the simulator; devices share them.
    private static let tokenCountMax = 20_000

    let apns: ServiceAPNS
    private let configuration: RelayConfiguration
    private let authorities: [UInt8]
    private let stop: StopSignal
    private let loop: EventLoop

    /// - Parameters:
    ///   - load: what will be posted.
    ///   - folder: the relay's.
    ///   - stop: ends every wait.
    ///   - isQuiet: whether nothing is said of how long it took.
    /// - Throws: what a file or a process says.
    init(_ load: ServiceLoad, folder: String, stop: StopSignal, isQuiet: Bool) async throws(CommandFailure) {
        self.stop = stop
        apns = try await Self.startAPNS()
        authorities = try readInput(Self.keys + "/ca.pem", byteCountMax: 1 << 20)
        do { loop = try EventLoop() } catch { throw .failed(error.sentence) }
        var configuration = RelayConfiguration(
            keys: try RelayProcess.absolute(Self.keys),
            folder: try RelayProcess.absolute(folder),
            pushPort: Int64(apns.port)
        )
        configuration.takesReceipts = load.receiptPercent > 0
        configuration.limits = [
            ("requests-per-second-of-address", 1_000_000), ("pushes-per-minute-of-device", 60_000),
            ("push-burst-of-device", 1_000), ("buckets", 1_000_000),
        ]
        self.configuration = configuration
        try RelayProcess.makeTokenKey(configuration, stop: stop)
        let start = ContinuousClock.now
        do {
            let tokens = try await apns.enrol(min(load.deviceCount, Self.tokenCountMax))
            try await ServiceFleet.fill(
                load.deviceCount,
                path: configuration.databaseFile,
                key: try storeKey(),
                tokens: tokens,
                now: .now
            )
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .failed("the relay's store could not be filled: \(error)")
        }
        guard !isQuiet else { return }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        let sync = DiskSync.medianNanoseconds(in: folder).map { "\($0 / 1_000) µs" } ?? "unknown"
        try Output.print(
            "\(load.deviceCount) devices registered in \(seconds) s; fdatasync of 4 KiB here: \(sync) (median)"
        )
    }

    /// Starts the relay on the first processor; the driver and the simulator take the second.
    func startRelay() throws(CommandFailure) -> RelayProcess {
        if Processors.count > 1 { try Processors.use(only: 0) }
        let relay = try RelayProcess(configuration, stop: stop)
        if Processors.count > 1 { try Processors.use(only: 1) }
        return relay
    }

    func driver(of relay: RelayProcess) throws -> ServiceDriver {
        let target = ServiceTarget(port: UInt16(relay.port), apiKey: relay.apiKey, trust: .pem(authorities))
        return ServiceDriver(target, apns: apns, loop: loop)
    }

    /// The relay's store, while no relay runs.
    func openStore() throws -> SQLiteStore {
        try SQLiteStore(path: configuration.databaseFile, key: try storeKey(), now: .now)
    }

    private func storeKey() throws -> StoreKey {
        try StoreKey(try PrivateFile.read(configuration.tokenKeyFile, exampleKeys: .refused))
    }

    private static func startAPNS() async throws(CommandFailure) -> ServiceAPNS {
        let chain = try readInput(keys + "/simulator.pem", byteCountMax: 1 << 20)
        let providerKey = try readInput(keys + "/provider.pub.pem", byteCountMax: 1 << 20)
        let privateKey: SecretBytes
        do throws(FileError) {
            privateKey = try PrivateFile.read(keys + "/simulator.key", exampleKeys: .allowed)
        } catch {
            throw .file(error)
        }
        do {
            let key = SigningKey(
                id: try KeyID("EXAMPLEKEY"),
                team: try TeamID("EXAMPLTEAM"),
                publicKey: try ES256PublicKey(pem: unsafe providerKey.span.bytes),
                bundleIDs: nil
            )
            return try await ServiceAPNS(
                certificateChainPEM: chain,
                privateKeyPEM: privateKey,
                key: key,
                loop: try EventLoop()
            )
        } catch {
            throw .failed("the simulator did not start: \(error)")
        }
    }
}
