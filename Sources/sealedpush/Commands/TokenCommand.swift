import CommandLineTool
import Envelope

struct TokenCommand: Command {
    static let name = "token check"
    static let summary = "asks a simulator for a device token's environment and topic, and whether it is active"
    static let operands = "TOKEN"
    static let options = ControlClient.options + [.json]
    static let example = """
        Example:
          sealedpush token check "$(cat sealedpush-simulator/device.token)" \\
              --control http://127.0.0.1:8190 \\
              --bearer-file sealedpush-simulator/control.bearer

        TOKEN is hex; '-' reads it from standard input. Exit code 1 for a token that is not active.
        """

    private let arguments: Arguments
    private let token: String
    private let client: ControlClient

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        let token = try arguments.operand("TOKEN")
        client = try ControlClient(arguments)
        self.token = token == "-" ? try ControlClient.word(of: "-") : token
    }

    func run() throws(CommandError) {
        var writer = JSONWriter()
        writer.object { $0.member("token", token) }
        let json = try client.call("POST", "/v1/tokens/check", writer.bytes)
        if arguments.flag(.json) {
            try Output.print(String(decoding: JSONWriter.bytes(of: json), as: UTF8.self))
        } else {
            try Output.print(words(json))
        }
        guard case .bool(true) = json["active"]?.content else {
            throw .failed(
                "the token is not active: \(TerminalText.safe(json["why"]?.string ?? "the simulator gives no reason"))"
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
