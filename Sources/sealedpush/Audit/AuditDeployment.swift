import Audit
import CommandLineTool
import Envelope
import Glibc
import HTTPSClient
import Keys
import Opening
import Primitives
import Sealing

/// Plants canaries in a running relay, with devices of its own that no phone stands behind; deletes them at the end.
struct AuditDeployment {
    private static let answerByteCountMax = 1 << 22
    private static let tokenByteCount = 32

    private let url: String
    private let apiKey: String
    private let authoritiesPath: String?
    private let topic: BundleID
    private let environment: String
    /// One for each message: APNs refuses their tokens, and the relay then sets a device aside.
    private let devices = (0..<2).map { _ in "audit-" + AuditMessage.word() }
    private var set = CanarySet()
    private var calls: [[UInt8]] = []

    init(_ arguments: Arguments) throws(CommandError) {
        url = try arguments.required("--relay").trimmingSlash
        topic = try arguments.topic()
        authoritiesPath = arguments.value("--ca")
        environment = arguments.value("--environment") ?? "production"
        guard ["production", "sandbox"].contains(environment) else {
            throw arguments.wrong("--environment must be 'production' or 'sandbox'")
        }
        let path = try arguments.required("--api-key-file")
        let text: [UInt8]
        do throws(FileError) { text = try WholeFile.read(path, byteCountMax: 1 << 10) } catch { throw .file(error) }
        apiKey = String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
        guard apiKey.hasPrefix("spk_") else {
            throw .failed("\(TerminalText.safe(path)): not an API key, which begins with spk_; check the path")
        }
    }

    /// Registers the devices, sends them a short and a long message, and waits for their ends.
    ///
    /// - Returns: the canaries.
    mutating func plant(_ held: AuditFolder) throws(CommandError) -> CanarySet {
        var random = SystemRandom()
        let keys = DeviceKeys(topic: topic, random: &random)
        let sender = SenderIdentity()
        try set.plant("device's identity", .identity, keys.identity.rawRepresentation)
        try set.plant("sender's public key", .sender, sender.publicKey.rawRepresentation)
        try set.plant("sender's private key", .senderKey, sender.withSeed { [UInt8](copying: $0) })
        try set.plant("API key", .relayKeys, apiKey.utf8)
        let bundle = keys.bundle(now: .now)
        var traces: [String] = []
        for (device, (name, padding)) in zip(devices, [("short", 0), ("long", 1_500)]) {
            let token = random.bytes(count: Self.tokenByteCount)
            try set.plant("id of the \(name) message's device", .deviceID, device.utf8)
            try set.plant("token of the \(name) message's device", .deviceToken, token)
            let registration = registration(token, bundle)
            calls.append(registration)
            try expect(200..<300, "a device", try ask(.put, "/v1/devices/\(device)", registration))
            let recipient: Recipient
            do {
                recipient = try Recipient(
                    bundle: bundle,
                    pinnedIdentity: keys.identity,
                    topic: topic,
                    withoutPinsAt: .now
                )
            } catch {
                throw .failed("the device's key bundle could not be used")
            }
            let message = try AuditMessage(name, padding: padding, from: sender, to: recipient, &set)
            let submission = message.submission(to: device, topic: topic.text, hasReceipt: false)
            calls.append(submission)
            let answer = try ask(.post, "/v1/notifications", submission)
            try expect(202..<203, "a notification", answer)
            traces.append(message.trace)
            try awaitEnd(try answer.json.text("id", of: "notifications"))
        }
        set.records = [CanarySet.Pair(short: traces[0], long: traces[1])]
        try held.write(calls.flatMap { $0 + [UInt8(ascii: "\n")] }, .calls, "bodies")
        let metrics = try ask(.get, "/v1/metrics")
        if metrics.status == 200 { try held.write(metrics.bytes, .stats, "metrics") }
        try held.write(set)
        return set
    }

    func remove() throws(CommandError) {
        for device in devices {
            let answer = try ask(.delete, "/v1/devices/\(device)")
            // The relay may have deleted it by itself.
            guard answer.status != 404 else { continue }
            try expect(200..<300, "the deletion of \(device)", answer)
        }
    }

    private func registration(_ token: [UInt8], _ bundle: [UInt8]) -> [UInt8] {
        let digits = token.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token", digits)
            writer.member("topic", topic.text)
            writer.member("environment", environment)
            writer.member("bundle", Base64URL.string(bundle))
        }
        return writer.bytes
    }

    /// APNs refuses the token, which it never gave.
    private func awaitEnd(_ id: String) throws(CommandError) {
        var cause: String?
        for _ in 0..<600 {
            let notification = try ask(.get, "/v1/notifications/\(id)").json
            let state = notification?["state"]?.string
            if let state, ["accepted", "dead", "expired", "delivered"].contains(state) { return }
            cause = notification?["waits-for"]?.string
            usleep(100_000)
        }
        let waits = cause.map { " (it waits for: \(TerminalText.safe($0)))" } ?? ""
        throw .failed("a notification did not end within a minute\(waits); does the relay reach APNs?")
    }

    private typealias Answer = (status: Int, bytes: [UInt8], json: JSONValue?)

    private func expect(_ statuses: Range<Int>, _ what: String, _ answer: Answer) throws(CommandError) {
        guard !statuses.contains(answer.status) else { return }
        let detail = answer.json?["detail"]?.string.map { ": \(TerminalText.safe($0))" } ?? ""
        throw .failed("the relay refused \(what) (\(answer.status))\(detail)")
    }

    private func ask(
        _ method: HTTPSRequest.Method,
        _ path: String,
        _ body: [UInt8]? = nil
    ) throws(CommandError) -> Answer {
        var request = HTTPSRequest(method, url + path)
        request.fields = [("authorization", "Bearer \(apiKey)"), ("content-type", "application/json")]
        if let authoritiesPath { request.trust = .file(path: authoritiesPath) }
        request.body = body.map { HTTPSRequest.Body(bytes: $0) }
        var bytes: [UInt8] = []
        let status: Int
        do throws(HTTPSError) {
            let head = try HTTPSExchange().run(
                request,
                onBytes: { span in
                    unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
                    return bytes.count <= Self.answerByteCountMax
                }
            )
            status = head.status
        } catch {
            throw .failed("\(TerminalText.safe(url)): the relay did not answer (\(error)); check --relay and --ca")
        }
        let limits = JSONParser.Limits(byteCountMax: Self.answerByteCountMax, depthMax: 16, allowsFractions: true)
        // Metrics and some answers are no JSON.
        return (status, bytes, try? JSONParser.parse(bytes, limits: limits))
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

extension JSONValue? {
    /// Member of the first element of a list.
    fileprivate func text(_ name: String, of list: String) throws(CommandError) -> String {
        guard let text = self?[list]?.elements?.first?[name]?.string else {
            throw .failed("the relay's answer has no \"\(name)\"")
        }
        return text
    }
}
