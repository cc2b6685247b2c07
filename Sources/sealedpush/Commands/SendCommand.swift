import APNS
import APNSProvider
import CommandLineTool
import Envelope
import Glibc
import Networking
import Primitives

struct SendCommand: Command {
    static let name = "send"
    static let summary = "sends a payload to a device through APNs or the simulator"
    static let operands = "PUSH.json"
    static let options = [
        Option("--to-file", "FILE", "the device token in hex, from a file: other users can see a command line"),
        Option("--to", "TOKEN", "the device token in hex"),
        Option("--topic", "BUNDLE-ID", "the app's bundle id"),
        Option("--provider-key", "FILE", "the .p8 signing key from Apple"),
        Option("--key-id", "ID", "the key's ten characters"),
        Option("--team-id", "ID", "the team's ten characters"),
        Option("--server", "production|sandbox|HOST:PORT", "Apple's, or another one", isRequired: true),
        Option("--ca", "FILE", "the authority to trust instead of the system's, for a simulator"),
        Option("--priority", "10|5|1", "10 without it"),
        Option("--expires", "0|1h|1d|7d", "the time for which APNs may store it; 1d without it; 0: one attempt"),
        Option("--collapse-id", "ID", "replaces an earlier notification with the same one"),
        Option(flag: "--allow-clear", "sends a payload that has no sealed field"),
        BinaryInterface.option,
        Option("--certificate", "FILE", "for it: the app's certificate with its key (PEM), instead of topic and key"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush send push.json --to-file token --topic com.example.chat \\
              --provider-key keys-example/provider.p8 --key-id EXAMPLEKEY \\
              --team-id EXAMPLTEAM --server localhost:2197 \\
              --ca keys-example/ca.pem --allow-example-keys

        --topic, --provider-key, --key-id and --team-id are needed, except with --binary-interface, which Apple switched
        off in 2021: there --server is the --gateway-port of a simulator. It takes 2048 bytes, so that no sealed payload
        fits: --allow-clear sends others.
        """

    private let arguments: Arguments
    private let payloadPath: String
    /// nil on the binary interface: the certificate has it.
    private let topic: Topic?
    private let endpoint: APNSEndpoint
    private let priority: Priority
    private let expiration: Expiration

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        payloadPath = try arguments.operand("PUSH.json")
        let isBinary = try BinaryInterface.isWanted(by: arguments)
        if !isBinary {
            for name in ["--topic", "--provider-key", "--key-id", "--team-id"] { _ = try arguments.required(name) }
        }
        try arguments.requireTarget()
        topic = isBinary ? nil : try arguments.tokenTopic()
        switch try arguments.required("--server") {
        case "production": endpoint = .production
        case "sandbox": endpoint = .sandbox
        default:
            let (host, port) = try arguments.hostAndPort("--server")
            endpoint = APNSEndpoint(host: host, port: port)
        }
        let digits = Array((arguments.value("--priority") ?? "10").utf8)
        guard let priority = Priority(headerValue: digits.span) else {
            throw arguments.wrong("--priority must be 10, 5 or 1")
        }
        self.priority = priority
        expiration = try arguments.expiration()
    }

    func run() async throws(CommandError) {
        let payload = try PayloadFile.read(payloadPath)
        try requireSealed(payload)
        guard let topic else { return try await sendOverBinaryInterface(payload) }
        try report(try await send(try notification(payload, topic)))
    }

    private func sendOverBinaryInterface(_ payload: [UInt8]) async throws(CommandError) {
        let seconds = expiration.unixSeconds
        let notification = LegacyNotification(
            expiresAt: UInt32(clamping: seconds),
            priority: priority,
            deviceToken: try arguments.deviceToken(),
            payload: payload
        )
        let outcome = try await BinaryInterface(endpoint, arguments).send(notification)
        try BinaryInterface.report(outcome, of: payloadPath, printsJSON: arguments.flag(.json))
    }

    private func notification(_ payload: [UInt8], _ topic: Topic) throws(CommandError) -> PushNotification {
        var random = SystemRandom()
        return PushNotification(
            id: APNSID(randomBytes: random.bytes(count: 16)),
            deviceToken: try arguments.deviceToken(),
            topic: topic,
            pushType: topic.hasSuffix(of: .voip) ? .voip : .alert,
            priority: priority,
            expiration: expiration,
            collapseID: try arguments.collapseID(),
            payload: payload
        )
    }

    private func requireSealed(_ payload: [UInt8]) throws(CommandError) {
        guard !arguments.flag(Option(flag: "--allow-clear", "")) else { return }
        let path = TerminalText.safe(payloadPath)
        switch try PayloadFile.report(payload, from: payloadPath).sealed {
        case .envelope(let envelope):
            let isCall = envelope.pushClass == .voip
            guard isCall != (topic?.hasSuffix(of: .voip) ?? false) else { return }
            throw .failed(
                isCall
                    ? "\(path) is a call; send it to PushKit's token, with .voip at the end of --topic"
                    : "\(path) is not a call, and iOS ends an app that gets a VoIP push without a call: leave .voip"
                        + " out of --topic"
            )
        case .absent:
            throw .failed(
                "\(path) has no \"sealed\" field, so every server on the way could read it; nothing was sent. "
                    + "Make one with 'sealedpush seal', or pass --allow-clear"
            )
        case .notAString, .unreadable:
            throw .failed("\(path): no device opens this \"sealed\" field, so nothing was sent; seal the message again")
        }
    }

    private func send(_ notification: PushNotification) async throws(CommandError) -> APNSResponse {
        let tokens = ProviderTokenSource(
            key: try arguments.signingKey(),
            keyID: try arguments.keyID(),
            teamID: try arguments.teamID()
        )
        var configuration = APNSClientConfiguration()
        configuration.trust = try arguments.trust()
        // The sender decides about a resend.
        configuration.ambiguity = .report
        let server = TerminalText.safe(endpoint.host)
        let progress = ProgressLine { "waiting for \(server)" }
        defer { progress.end() }
        do throws(ProviderError) {
            let client = try APNSClient(endpoint: endpoint, credential: .token(tokens), configuration: configuration)
            let response = try await client.send(notification)
            await client.close()
            return response
        } catch {
            throw .failed(sentence(of: error))
        }
    }

    private func sentence(of error: ProviderError) -> String {
        let place = "\(TerminalText.safe(endpoint.host)):\(endpoint.port)"
        switch error {
        case .key: return "the signing key could not sign; check that it is the .p8 file from Apple"
        case .certificate(let error): return "\(place): \(error)"
        case .tls(let error): return "\(TerminalText.safe(arguments.value("--ca") ?? place)): \(error.sentence)"
        case .system(let error): return error.sentence
        case .notSendable(let fault): return "\(TerminalText.safe(payloadPath)) was not sent: \(fault)"
        case .suspended(let reason): return "\(place): APNs refused the key: \(reason.rawValue). \(reason.advice)"
        case .queueFull, .closed, .cancelled: return "cancelled"
        case .notProcessed(let failure):
            if case .connection(let error) = failure.cause { return "\(place): \(error.sentence)" }
            return "\(place): \(TransportError.notProcessed(failure.cause).sentence)"
        case .ambiguous(let failure): return "\(place): \(TransportError.ambiguous(failure.cause).sentence)"
        }
    }

    private func report(_ response: APNSResponse) throws(CommandError) {
        if arguments.flag(.json) {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("status", response.status)
                writer.member("apns-id", response.id.description)
                if case .rejected(let body) = response.outcome { writer.member("reason", body?.reasonText ?? "") }
            }
            try Output.print(String(decoding: writer.bytes, as: UTF8.self))
        }
        switch response.outcome {
        case .accepted:
            if !arguments.flag(.json) {
                try Output.print("accepted by APNs for delivery, apns-id \(response.id)")
            }
        case .rejected(let body):
            let reason = TerminalText.safe(body?.reasonText ?? "no reason")
            throw .failed(
                "APNs refused the push: \(response.status) \(reason). \(body?.reason?.advice ?? Reason.noAdvice)"
            )
        }
    }
}

extension Arguments {
    fileprivate func deviceToken() throws(CommandError) -> DeviceToken {
        guard let path = value("--to-file") else {
            guard let text = value("--to") else { throw wrong("--to-file is missing") }
            do { return try DeviceToken(hex: text) } catch {
                throw wrong("--to must be a device token in hex, two digits for each byte")
            }
        }
        return try deviceToken(file: path)
    }

    fileprivate func tokenTopic() throws(CommandError) -> Topic {
        for name in ["--topic", "--provider-key", "--key-id", "--team-id"] { _ = try required(name) }
        try refuse("--certificate", because: "goes only with --binary-interface")
        return try pushTopic()
    }

    fileprivate func requireTarget() throws(CommandError) {
        switch (value("--to"), value("--to-file")) {
        case (nil, nil): throw wrong("--to-file is missing")
        case (_?, _?): throw wrong("--to-file replaces --to; give one of them")
        default: return
        }
    }

    fileprivate func collapseID() throws(CommandError) -> CollapseID? {
        guard let text = value("--collapse-id") else { return nil }
        do { return try CollapseID(text) } catch { throw wrong("--collapse-id must have 1 to 64 bytes") }
    }

    /// One of four values: an exact time would reveal the message's.
    fileprivate func expiration() throws(CommandError) -> Expiration {
        let seconds: UInt64
        switch value("--expires") ?? "1d" {
        case "0": return .oneAttempt
        case "1h": seconds = 3_600
        case "1d": seconds = 86_400
        case "7d": seconds = 7 * 86_400
        default: throw wrong("--expires must be 0, 1h, 1d or 7d: an exact time would reveal the message's own")
        }
        return Expiration(unixSeconds: SystemClock.millisecondsSince1970 / 1_000 + seconds)
    }
}
