import Envelope
import TestSupport

/// A simulator with keys of its own, as a newcomer starts it, and its callers.
struct OwnSimulator: Sendable {
    let folder: Folder
    let process: LiveProcess
    let pushPort: Int64
    let devicePort: Int64
    let controlPort: UInt16
    let bearer: String
    let seed: Int64

    init(_ options: String..., in given: Folder? = nil) async throws {
        let folder = try given ?? Folder()
        self.folder = folder
        process = try Invocation(
            ["simulate", "--port", "0", "--device-port", "0", "--json"] + options,
            in: folder
        ).start()
        let ready = try await process.event("ready")
        pushPort = try ready.integer("push-port")
        devicePort = try ready.integer("device-port")
        controlPort = UInt16(try ready.integer("control-port"))
        bearer = try ready.text("control-bearer")
        seed = try ready.integer("seed")
        _ = try await process.event("keys")
    }

    var url: String { "http://127.0.0.1:\(controlPort)" }

    func own(_ name: String) -> String { "sealedpush-simulator/" + name }

    var deviceToken: String { get throws { try folder.text(own("device.token")).filter { !$0.isNewline } } }

    func push(_ token: String? = nil, topic: String = "com.example.app") async throws -> Run {
        try folder.write("payload.json", #"{"aps":{"alert":"Hello"}}"#)
        return try await Run.sealedpush(
            "send",
            "payload.json",
            "--allow-clear",
            "--to",
            try token ?? deviceToken,
            "--topic",
            topic,
            "--provider-key",
            own("provider.p8"),
            "--key-id",
            "SIMULATED1",
            "--team-id",
            "SIMULATEAM",
            "--server",
            "localhost:\(pushPort)",
            "--ca",
            own("ca.pem"),
            "--json",
            in: folder
        )
    }

    func control(_ line: String, _ body: String = "") async throws -> (status: Int, json: JSONValue) {
        let (port, fields) = (controlPort, ["Host: localhost", "Authorization: Bearer \(bearer)"])
        let (status, _, text) = try await Task.detached {
            try PlainCaller.call(port, line, fields, body: body)
        }.value
        return (status, try JSONValue(line: text.filter { !$0.isNewline }))
    }

    func checkToken(_ token: String, _ options: String...) async throws -> Run {
        try await Invocation(
            ["token", "check", token, "--control", url, "--bearer-file", own("control.bearer")] + options,
            in: folder
        ).run()
    }

    func stop() async throws -> Run {
        process.stop()
        return try await process.end()
    }
}
