import APNS
import Envelope
import TestSupport
import Testing

final class RunningService {
    /// An answer with which a test cannot continue.
    struct Unexpected: Error { let answer: String }

    struct Answer {
        let status: Int
        let head: String
        let body: String

        var json: JSONValue? {
            let limits = JSONParser.Limits(byteCountMax: 10_000_000, depthMax: 16, allowsFractions: true)
            return try? JSONParser.parse(Array(body.utf8), limits: limits)
        }

        var ids: [APNSID] {
            (json?["notifications"]?.elements ?? []).compactMap { notification in
                notification["id"]?.string.flatMap { APNSID(text: Array($0.utf8).span, acceptsUpperCase: false) }
            }
        }

        /// The word of the problem's type.
        var problem: String? {
            json?["type"]?.string.map { String($0.dropFirst("urn:sealedpush:problem:".count)) }
        }

        var retryAfter: Int? {
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("retry-after:") }
            return line.flatMap { Int($0.dropFirst("retry-after:".count).drop { $0 == " " }) }
        }
    }

    let process: DaemonProcess
    /// Port of 127.0.0.1, in plain text.
    let port: UInt16
    /// Port of 127.0.0.1, over TLS.
    let securePort: UInt16
    /// Entries that the store found `sending` when it was opened.
    let interruptedCount: Int

    init(_ configuration: String, wrapper: [String] = []) throws {
        process = try DaemonProcess(["--config", configuration], wrapper: wrapper)
        let lines = process.lines(to: "ready")
        // The loopback port is logged last.
        let ports = lines.filter { $0.contains("\"event\":\"listening\"") }.map { line in
            DaemonProcess.value("port", in: line).flatMap { UInt16($0) }
        }
        let opened = lines.first { $0.contains("\"event\":\"store-opened\"") }
        guard case let port?? = ports.last, case let securePort?? = ports.first,
            let count = opened.flatMap({ DaemonProcess.value("interrupted", in: $0) }).flatMap({ Int($0) })
        else {
            process.signal(9)
            throw Unexpected(answer: lines.joined(separator: "\n") + process.complaint())
        }
        self.port = port
        self.securePort = securePort
        interruptedCount = count
    }

    /// - Returns: the status, 0 where the service was gone before it answered.
    func call(_ method: String, _ path: String, body: String = "", fields more: [String] = []) throws -> Answer {
        let fields = Self.fields(hasBody: !body.isEmpty) + more
        let (status, head, text) = try PlainCaller.call(port, "\(method) \(path)", fields, body: body)
        return Answer(status: status, head: head, body: text)
    }

    /// Sends one notification to each of the devices; `more` are further members of each recipient, each with a comma
    /// before it.
    func send(_ devices: [String], class name: String = "normal", more: String = "") throws -> Answer {
        try call("POST", "/v1/notifications", body: Self.notification(to: devices, class: name, more: more))
    }

    static func notification(to devices: [String], class name: String = "normal", more: String = "") -> String {
        let recipients = devices.map { #"{"device": "\#($0)", "sealed": "\#(Self.sealed)"\#(more)}"# }
        return #"{"topic": "\#(ServiceSite.bundleID)", "class": "\#(name)", "recipients": "#
            + "[\(recipients.joined(separator: ", "))]}"
    }

    static func fields(hasBody: Bool) -> [String] {
        ["Host: localhost", "Authorization: Bearer \(ServiceSite.apiKey)"]
            + (hasBody ? ["Content-Type: application/json"] : [])
    }

    func state(_ id: APNSID) throws -> String? { try call("GET", "/v1/notifications/\(id)").json?["state"]?.string }

    /// The most pushes that Apple's side may see: one, and one more for each attempt with an unknown outcome. A machine
    /// that pauses for seconds makes some.
    func pushCountMax(_ id: APNSID) throws -> Int {
        let attempts = try call("GET", "/v1/notifications/\(id)").json?["attempts"]?.elements ?? []
        return 1 + attempts.count { ["ambiguous", "interrupted"].contains($0["connection"]?.string) }
    }

    /// Pushes that Apple's side saw more often than necessary.
    func needlessRepeats(_ seen: EventBoard.Seen) throws -> [APNSID] {
        try seen.counts.filter { try $0.value > pushCountMax($0.key) }.map(\.key)
    }

    func until(_ isSo: () throws -> Bool) async throws { while try !isSo() { await Task.yield() } }

    /// Sends SIGTERM, and waits for the end.
    ///
    /// - Returns: its exit code.
    func stop() -> Int32 {
        process.signal(15)
        _ = process.rest()
        let code = process.wait()
        // A trap writes its reason to standard error.
        if code != 0 { Issue.record("\(process.complaint())") }
        return code
    }

    /// Sends SIGKILL, and waits for the end.
    func kill() {
        process.signal(9)
        process.wait()
    }

    /// An envelope by its first two bytes and its length: the service cannot know more of it.
    private static let sealed = Base64URL.string(
        [EnvelopeHeader.version, Suite.x25519.rawValue]
            + [UInt8](repeating: 7, count: PushClass.alert.sealedCharacterCount / 4 * 3 - 2)
    )
}
