import EndToEndStage
import Envelope
import Glibc
import Keys
import Platform
import Primitives
import PushStore
import Sealing
import TestSupport
import Testing

@testable import ChatAppCode

/// A sidecar as a process, on a stage with a relay and a simulator, and its back end's side of the socket.
final class SidecarStage: Sendable {
    struct Options: Sendable {
        /// More members of the configuration's `limits`.
        var limits = ""
        /// A host of attachments.
        var files: (port: Int, token: String)?
        /// Of a listener on 127.0.0.1, beside the socket.
        var token: String?
        /// A wall clock that `setClock` moves.
        var movesClock = false
    }

    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: String

        var json: JSON { get throws { try JSON(Array(body.utf8)) } }
    }

    let stage: Stage
    let senderKey: SenderKey
    private let folder: TemporaryFolder
    private let options: Options
    private let clock: ShiftedClock?
    private let station = Guarded<Station?>(nil)

    static func with<Result>(
        _ options: Options = Options(),
        _ body: (SidecarStage) async throws -> Result
    ) async throws -> Result {
        try await Stage.with { stage in try await with(on: stage, options, body) }
    }

    static func with<Result>(
        on stage: Stage,
        _ options: Options,
        _ body: (SidecarStage) async throws -> Result
    ) async throws -> Result {
        let own = try SidecarStage(stage, options)
        defer { own.kill() }
        try await own.start()
        return try await body(own)
    }

    private init(_ stage: Stage, _ options: Options) throws {
        self.stage = stage
        self.options = options
        folder = try TemporaryFolder()
        clock = options.movesClock ? try ShiftedClock(in: folder) : nil
        let sender = SenderIdentity()
        senderKey = sender.publicKey
        try sender.write(to: folder.path("sender.key"))
        _ = try folder.makeFile("relay.key", stage.key + "\n")
        _ = try folder.makeFile("files.token", (options.files?.token ?? "none") + "\n")
        _ = try folder.makeFile("loopback.token", (options.token ?? "none") + "\n")
    }

    var socket: String { folder.path("sidecar.sock") }
    var database: String { folder.path("sidecar.sqlite") }
    var names: [String] { get throws { try folder.names() } }
    func path(_ name: String) -> String { folder.path(name) }

    func configure() throws -> String {
        let files = options.files.map { files in
            """
            , "attachments": {"url": "https://localhost:\(files.port)", "token-file": "\(folder.path("files.token"))",
            "authorities-file": "\(stage.authorities)", "public-url": "https://files.example.com",
            "folder": "\(stage.folderPath)"}
            """
        }
        let loopback = options.token.map { _ in
            #", "loopback": {"port": 0, "token-file": "\#(folder.path("loopback.token"))"}"#
        }
        let text = """
            {
              "socket": {"path": "\(socket)"}, "database-file": "\(database)", "topic": "\(Stage.topic)",
              "sender-key-file": "\(folder.path("sender.key"))",
              "relay": {
                "url": "https://localhost:\(stage.relayPort)", "key-file": "\(folder.path("relay.key"))",
                "authorities-file": "\(stage.authorities)"
              },
              "limits": {\(options.limits)}\(files ?? "")\(loopback ?? "")
            }
            """
        return try folder.makeFile("sidecar.json", text)
    }

    // MARK: The process

    func start() async throws {
        try clock?.set(ahead: 0)
        let environment = clock?.variables ?? []
        let station = try Station("sealedpush-sidecar", ["--config", try configure()], environment: environment)
        do {
            _ = try await station.events.next("ready")
        } catch {
            throw Surprise("\(error): \(station.errors)")
        }
        self.station.withLock { $0 = station }
    }

    /// Moves the process's wall clock, and no other.
    func setClock(ahead seconds: Int64) throws { try clock?.set(ahead: seconds) }

    func kill() { station.withLock { $0 }?.kill() }
    func stop() { station.withLock { $0 }?.stop() }
    var id: Int32 { station.withLock { $0 }?.processID ?? 0 }
    var errors: String { station.withLock { $0 }?.errors ?? "" }
    var events: EventLog { get throws { try #require(station.withLock { $0 }).events } }

    /// A second start, which fails.
    ///
    /// - Returns: its exit code and what it says.
    func refusedStart(_ change: (String) throws -> Void = { _ in }) throws -> (code: Int32, errors: String) {
        let configuration = try configure()
        try change(configuration)
        let errors = folder.path("errors")
        let words = [
            "-c", "exec \"$0\" --config \"$1\" 2>\"$2\"", LineProgram.path("sealedpush-sidecar"), configuration, errors,
        ]
        let process = try LineProcess("/bin/sh", words)
        _ = process.rest()
        let code = process.wait() ?? -1
        return (code, try String(decoding: WholeFile.read(errors, byteCountMax: 1 << 16), as: UTF8.self))
    }

    /// Changes the database, while no sidecar has it.
    func changeDatabase(_ statement: String) throws {
        try SQLiteConnection(path: database, fileSystem: nil).execute(statement)
    }

    // MARK: The back end

    func ask(_ method: String, _ path: String, _ body: String = "", key: String? = nil) async throws -> Answer {
        let socket = socket
        let fields = key.map { ["Idempotency-Key: \($0)"] } ?? []
        return try await onThread {
            let answer = try UnixCaller.call(socket, "\(method) \(path)", fields: fields, body)
            return Answer(status: answer.status, head: answer.head, body: answer.body)
        }
    }

    /// Sends words to devices.
    func send(_ body: String, to recipients: [String], key: String? = nil, more: String = "") async throws -> Answer {
        let list = recipients.joined(separator: ",")
        let text = #"{"message":{"title":"Ada","body":"\#(body)"},"recipients":[\#(list)]\#(more)}"#
        return try await ask("POST", "/v1/messages", text, key: key)
    }

    /// Waits until no copy of a message is queued.
    func settled(_ id: String) async throws -> [JSON] {
        while true {
            let answer = try await ask("GET", "/v1/messages/\(id)")
            guard answer.status == 200 else { throw Surprise("\(answer)") }
            let recipients = try answer.json["recipients"]?.elements ?? []
            if !recipients.contains(where: { $0["state"]?.text == "queued" }) { return recipients }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// A device of the relay that is never switched on. Apple's stand-in ends: it does not know the token, and the relay
    /// would send the device nothing more.
    ///
    /// - Returns: it as a recipient.
    func makeDevice(_ id: String) async throws -> String {
        stage.simulator.kill()
        let device = folder.path("keys-\(id)")
        let keygen = ["keygen", "device", "--topic", Stage.topic, "--out", device]
        _ = try LineProcess(LineProgram.path("sealedpush"), keygen).rest()
        func text(_ name: String) throws -> String {
            let bytes = try WholeFile.read(device + "/" + name, byteCountMax: 1 << 14)
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        }
        var random = SystemRandom()
        // Two digits each.
        let token = random.bytes(count: 32).map { String(0x100 + Int($0), radix: 16).dropFirst() }
        let registration = """
            {"token":"\(token.joined())","topic":"\(Stage.topic)","environment":"sandbox","bundle":"\(try text("device.bundle"))"}
            """
        let answer = try await stage.ask("PUT", "/v1/devices/\(id)", Array(registration.utf8))
        guard answer.status < 300 else { throw Surprise("\(answer.status)") }
        return #"{"device":"\#(id)","identity":"\#(try text("identity.pub"))"}"#
    }

    /// Notifications that the relay has for a device.
    func notificationCount(_ device: String) async throws -> Int {
        try await stage.ask("GET", "/v1/devices/\(device)/deliveries").json()["notifications"]?.number ?? -1
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isStarted = DetachedThread.start(stackByteCount: 1 << 20) {
                continuation.resume(with: Result { try body() })
            }
            precondition(isStarted)
        }
    }
}

/// The person's phone, and the part of the back end that its app speaks to.
struct SidecarPhone: BackEnd {
    let stage: Stage
    let senderKey: SenderKey
    let phone: Phone
    private let identity = Guarded("")

    /// Switched on and registered.
    static func ready(on own: SidecarStage, files: Int? = nil) async throws -> SidecarPhone {
        let one = SidecarPhone(stage: own.stage, senderKey: own.senderKey, phone: Phone("phone", on: own.stage))
        try await one.phone.switchOn(files: files)
        try await one.launch()
        return one
    }

    func launch() async throws {
        let (phone, server) = (phone, self)
        try await phone.app {
            let settings = try ChatDevice.settings(groupFolder: phone.groupFolder, supportFolder: phone.supportFolder)
            _ = try await startDevice(settings, token: phone.token, server) { _ in }
        }
    }

    var recipient: String { #"{"device":"phone","identity":"\#(identity.withLock { $0 })"}"# }

    func friends() -> [(key: String, name: String)] { [(senderKey.text, "Ada Lovelace")] }

    func time() -> Timestamp { .now }

    func register(_ registration: [UInt8], identity: String) async throws -> [UInt8] {
        let answer = try await stage.ask("PUT", "/v1/devices/phone", registration)
        guard answer.status < 300 else { throw Surprise("the relay refused the registration: \(answer.status)") }
        self.identity.withLock { $0 = identity }
        return answer.body
    }
}
