import APNS
import APNSProvider
import CommandLineTool
import Envelope
import Networking

/// `send --binary-interface`, off at Apple since 2021-03-31: for tests of simulators.
struct BinaryInterface {
    static let option = Option(
        flag: "--binary-interface",
        "sends to a simulator over the interface that Apple switched off in 2021"
    )

    private let gateway: LegacyGateway

    /// - Throws: for unsupported options, or no certificate.
    static func isWanted(by arguments: Arguments) throws(CommandError) -> Bool {
        guard arguments.flag(option) else { return false }
        try arguments.refuse(
            "--topic",
            "--provider-key",
            "--key-id",
            "--team-id",
            "--collapse-id",
            because: "does not go with --binary-interface"
        )
        _ = try arguments.required("--certificate")
        return true
    }

    init(_ endpoint: APNSEndpoint, _ arguments: Arguments) throws(CommandError) {
        let identity = try arguments.clientIdentity(advice: "it is what 'simulate --client-ca' asks for")
        let context = try arguments.clientContext(protocol: nil, identity: identity)
        do {
            gateway = LegacyGateway(
                service: LegacyService(host: endpoint.host, port: endpoint.port),
                context: context,
                loop: try EventLoop()
            )
        } catch {
            throw .failed(error.sentence)
        }
    }

    func send(_ notification: LegacyNotification) async -> LegacyOutcome {
        await gateway.deliver([notification]).first ?? .notSent(.connection(.cancelled))
    }

    static func report(_ outcome: LegacyOutcome, of path: String, printsJSON: Bool) throws(CommandError) {
        switch outcome {
        case .accepted, .written:
            try Output.print(printsJSON ? #"{"outcome":"accepted"}"# : "accepted over the binary interface")
        case .refused(let status):
            if printsJSON { try Output.print(#"{"outcome":"refused","status":\#(status.rawValue)}"#) }
            throw .failed("the gateway refused the push with status \(status.rawValue)\(words(status))")
        case .notSendable(let fault): throw .failed("\(TerminalText.safe(path)) was not sent: \(words(fault))")
        case .unknown(let failure): throw .failed("the gateway may have accepted the push: \(words(failure))")
        case .notSent(let failure): throw .failed("the push was not sent: \(words(failure))")
        }
    }

    private static func words(_ status: LegacyStatus) -> String {
        switch status {
        case .invalidToken: ": it knows no such device token of the certificate's app"
        case .missingTopic: ": the certificate names no app"
        default: ""
        }
    }

    private static func words(_ fault: LegacyNotificationError) -> String {
        switch fault {
        case .payloadEmpty: "the payload is empty"
        case .payloadTooLarge(let byteCount, let byteCountMax):
            "the payload has \(byteCount) bytes, and the interface takes \(byteCountMax)"
        case .deviceTokenTooLong(let byteCount, let byteCountMax):
            "the device token has \(byteCount) bytes, and the interface takes \(byteCountMax)"
        case .priorityTooLow: "the interface has no priority 1"
        }
    }

    private static func words(_ failure: LegacyError) -> String {
        switch failure {
        case .connection(let error): error.sentence
        case .malformedPacket, .identifierUnknown: "the server is not such a gateway"
        case .tooManyConnections, .tooManyTuples, .malformedFeedback: "it closed the connection each time"
        }
    }
}
