import Envelope
import Keys
import Platform
import TestSupport

/// A phone: the process `sealedpush device`, with the extension in a process of its own. Its app is this test's, over
/// the same folders.
public final class Phone: Sendable {
    private let stage: Stage
    private let name: String
    private let station = Guarded<Station?>(nil)

    /// Its id at the relay.
    public var id: String { name }
    /// The container of the app group.
    public var groupFolder: String { folder + "/group.com.example.chat" }
    /// The app's own folder.
    public var supportFolder: String { folder }
    private var folder: String { stage.folder.path(name) }
    private var tokenPath: String { stage.folder.path(name + ".token") }
    private var voIPTokenPath: String { stage.folder.path(name + ".voip-token") }

    /// A new phone that is switched off.
    public init(_ name: String, on stage: Stage) {
        self.name = name
        self.stage = stage
    }

    deinit { station.withLock { $0 }?.kill() }

    /// Connects to the simulator, for the first time or again.
    ///
    /// - Parameters:
    ///   - isLocked: since its start.
    ///   - program: of an extension that is not the shipped one.
    ///   - files: the port of the host of attachments.
    ///   - reachesRelay: true if its network has the relay.
    /// - Throws: if it does not get ready.
    public func switchOn(
        isLocked: Bool = false,
        extension program: String? = nil,
        files: Int? = nil,
        reachesRelay: Bool = true
    ) async throws {
        let hasToken = station.withLock { $0 } != nil
        var words = [
            "device", "--json", "--folder", folder, "--topic", Stage.topic, "--ca", stage.authorities,
            "--server", "localhost:\(stage.simulatorPorts["device-port"]?.number ?? 0)", "--token-out", tokenPath,
            "--register", "voip=\(voIPTokenPath)",
        ]
        if reachesRelay { words += ["--relay", "localhost:\(stage.relayPort)"] }
        if hasToken { words += ["--token", tokenPath] }
        if isLocked { words += ["--state", "locked"] }
        if let program { words += ["--extension", LineProgram.path(program)] }
        if let files { words += ["--files", "localhost:\(files)"] }
        let device = try Station("sealedpush", words)
        station.withLock { $0 = device }
        do { _ = try await device.events.next("ready") } catch { throw Surprise("\(error): \(device.errors)") }
    }

    /// Ends its process, as an empty battery or a tunnel would.
    public func switchOff() { station.withLock { $0 }?.stop() }

    /// Its events since it was switched on.
    public var events: EventLog {
        get throws {
            guard let station = station.withLock({ $0 }) else { throw Surprise("\(name) was never switched on") }
            return station.events
        }
    }

    /// The device token, which it has since it was first switched on.
    public var token: [UInt8] { get throws { try Self.token(tokenPath) } }

    /// PushKit's token, for calls.
    public var voIPToken: [UInt8] { get throws { try Self.token(voIPTokenPath) } }

    private static func token(_ path: String) throws -> [UInt8] {
        let text = try WholeFile.read(path, byteCountMax: 1_024).filter { $0 > 0x20 }
        return stride(from: 0, to: text.count, by: 2).compactMap { index in
            UInt8(String(decoding: text[index..<index + 2], as: UTF8.self), radix: 16)
        }
    }

    /// Runs code of its app, with the phone's resolution of the relay's name.
    public func app<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let relay = SimulatedDevice.HostMapping(
            host: "push.example.com",
            port: 443,
            actualHost: "localhost",
            actualPort: UInt16(stage.relayPort),
            authoritiesPath: stage.authorities
        )
        let device = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: {
                var time = timespec()
                unsafe clock_gettime(CLOCK_REALTIME, &time)
                return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
            },
            hosts: [relay]
        )
        return try await device.run { Task { try await body() } }.value
    }
}
