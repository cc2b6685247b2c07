import Envelope

/// Asks a simulator what a device token is worth, as Apple's console tells it.
struct TokenCommand: Command {
    static let name = "token check"
    static let summary = "asks a simulator for a device token's environment and topic, and whether it is active"
    static let operands = "TOKEN"
    static let options = [
        Option("--control", "URL", "the simulator's control API, as it printed it", isRequired: true),
        Option("--bearer", "SECRET", "what it printed beside it; others on this machine can see it in a command line"),
        Option("--bearer-file", "FILE", "a file with it: control.bearer of the simulator's folder"),
        .json,
    ]
    static let example = """
        Example:
          sealedpush token check "$(cat sealedpush-simulator/device.token)" --control http://127.0.0.1:8190 \\
              --bearer-file sealedpush-simulator/control.bearer

        TOKEN is hex; '-' reads it from standard input. Exit code 1 for a token that is not active.
        """

    private let arguments: Arguments
    private let token: String
    private let client: ControlClient

    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        var token = try arguments.operand("TOKEN")
        let bearer: String
        switch (arguments.value("--bearer"), arguments.value("--bearer-file")) {
        case (let text?, nil): bearer = text
        case (nil, let path?): bearer = try Self.line(path)
        case (nil, nil): throw arguments.wrong("--bearer-file is missing")
        case (_?, _?): throw arguments.wrong("--bearer-file stands instead of --bearer")
        }
        guard let client = ControlClient(url: try arguments.required("--control"), bearer: bearer) else {
            throw arguments.wrong("--control is http://127.0.0.1:PORT, and the secret one word")
        }
        if token == "-" { token = try Self.line("-") }
        self.token = token
        self.client = client
    }

    private static func line(_ path: String) throws(CommandFailure) -> String {
        String(decoding: try readInput(path, byteCountMax: 4_096).filter { $0 > 0x20 }, as: UTF8.self)
    }

    func run() throws(CommandFailure) {
        var writer = JSONWriter()
        writer.object { $0.member("token", token) }
        let (status, json) = try client.post("/v1/tokens/check", writer.bytes)
        guard status == 200 else {
            let detail = TerminalText.safe(json["detail"]?.string ?? "no detail")
            throw .failed("the simulator answered \(status): \(detail)")
        }
        if arguments.flag(.json) {
            try Output.print(String(decoding: JSONWriter.bytes(of: json), as: UTF8.self))
        } else {
            try Output.print(words(json))
        }
        guard case .bool(true) = json["active"]?.content else {
            throw .failed(
                "the token is not active: \(TerminalText.safe(json["why"]?.string ?? "the simulator says no more"))"
            )
        }
    }

    private func words(_ json: JSONValue) -> String {
        let environment = json["environment"]?.string ?? "unknown"
        let topic = json["topic"]?.string ?? "unknown"
        let kind = json["kind"]?.string ?? "unknown"
        let state = json["state"]?.string ?? "unknown"
        return TerminalText.safe("environment \(environment), topic \(topic), kind \(kind), device \(state)")
    }
}
