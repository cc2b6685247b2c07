import Envelope
import HTTP
import Networking

/// A simulator and a device, each a process, and a sender's options for them.
struct Site: Sendable {
    static let simulator = [
        "--port", "0", "--device-port", "0", "--json",
        "--certificate", Program.keys + "/simulator.pem", "--certificate-key", Program.keys + "/simulator.key",
        "--provider-key", Program.keys + "/provider.pub.pem", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
    ]

    static func device(port: Int64) -> [String] {
        Workplace.reader + ["--server", "localhost:\(port)", "--ca", Program.keys + "/ca.pem"]
    }

    static func sender(port: Int64) -> [String] {
        [
            "--topic", Workplace.topic, "--provider-key", Program.keys + "/provider.p8", "--key-id", "EXAMPLEKEY",
            "--team-id", "EXAMPLTEAM", "--server", "localhost:\(port)", "--ca", Program.keys + "/ca.pem",
        ]
    }

    let place: Workplace
    let simulator: LiveProcess
    let pushPort: Int64
    let devicePort: Int64
    let ready: JSONValue

    /// Starts the simulator; `options` replace its usual ones.
    init(_ options: [String] = Site.simulator, environment: [String: String] = [:]) async throws {
        place = try await Workplace()
        var invocation = place.invocation(["simulate"] + options + Workplace.allow)
        invocation.environment = environment
        simulator = try invocation.start()
        ready = try await simulator.event("ready")
        pushPort = try ready.integer("push-port")
        devicePort = try ready.integer("device-port")
    }

    /// Connects a device; its token is in the file `token`.
    func connectDevice(_ options: String..., environment: [String: String] = [:]) async throws -> LiveProcess {
        var invocation = place.invocation(
            ["device", "--token-out", "token"] + Self.device(port: devicePort) + Workplace.allow + options
        )
        invocation.environment = environment
        let device = try invocation.start()
        guard try await device.line().contains("ready") else { throw Unexpected("the device is not ready") }
        return device
    }

    /// Sends the payload in the file `push` to the device; `changes` replace options of `sender`.
    func send(_ push: String, _ changes: [String: String] = [:], flags: String...) async throws -> Run {
        var options = Self.sender(port: pushPort)
        for (name, value) in changes {
            if let index = options.firstIndex(of: name) {
                options[index + 1] = value
            } else {
                options += [name, value]
            }
        }
        if changes["--to"] == nil, changes["--to-file"] == nil { options += ["--to-file", "token"] }
        return try await place.run(["send", push] + options + Workplace.allow + flags)
    }
}

extension Site {
    /// Posts to a path of the simulator that no provider of ours uses.
    ///
    /// - Returns: the answer's status.
    func post(_ path: String) async throws -> Int {
        let loop = try EventLoop()
        defer { loop.stop() }
        let authority = Array(try Folder.contents(Program.keys + "/ca.pem").utf8)
        let connection = try await HTTP2ClientConnection.connect(
            host: "localhost",
            port: UInt16(pushPort),
            context: try .client(trust: .pem(authority), alpn: ["h2"]),
            loop: loop,
            limits: .patient
        )
        var headers = HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":authority", "localhost")
        headers.append(":path", Array(path.utf8))
        let response = try await connection.send(HTTP2Request(headers: headers, body: Array("{}".utf8)))
        await connection.close()
        return response.status
    }
}
