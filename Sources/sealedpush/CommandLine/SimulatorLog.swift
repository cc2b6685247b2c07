import APNS
import APNSSimulator
import CommandLineTool
import Envelope
import HTTP

/// Without device tokens.
struct SimulatorLog {
    let printsJSON: Bool

    func printReady(_ simulator: Simulator, _ control: ControlServer?, seed: UInt64) throws(CommandError) {
        guard printsJSON else {
            let others = otherPorts(simulator).map { ", \($0.text) on 127.0.0.1:\($0.port)" }.joined()
            let tail = others + (control.map { ", control on http://127.0.0.1:\($0.port)" } ?? "")
            return try Output.print(
                "ready: pushes on 127.0.0.1:\(simulator.pushPort), devices on 127.0.0.1:\(simulator.devicePort)\(tail)\n"
                    + (control.map { "the control API's bearer is \($0.bearer)\n" } ?? "") + "seed \(seed)"
            )
        }
        try line { writer in
            writer.member("event", "ready")
            writer.member("push-port", simulator.pushPort)
            writer.member("device-port", simulator.devicePort)
            for (name, _, port) in otherPorts(simulator) { writer.member("\(name)-port", port) }
            if let control {
                writer.member("control-port", control.port)
                writer.member("control-bearer", control.bearer)
            }
            writer.member("seed", seed)
        }
    }

    private func otherPorts(_ simulator: Simulator) -> [(name: String, text: String, port: UInt16)] {
        [
            ("channel", "channels", simulator.channelPort), ("gateway", "the binary interface", simulator.gatewayPort),
            ("feedback", "feedback", simulator.feedbackPort),
        ].compactMap { (name, text, port) in port.map { (name, text, $0) } }
    }

    /// Programs read the folder.
    func printOwnKeys(_ folder: String, _ control: ControlServer?) throws(CommandError) {
        guard !printsJSON else {
            return try line { writer in
                writer.member("event", "keys")
                writer.member("folder", folder)
                writer.member("key-id", SimulatorFolder.keyID)
                writer.member("team-id", SimulatorFolder.teamID)
            }
        }
        let path = TerminalText.safe(folder)
        try Output.print(
            """
            keys: trust \(path)/ca.pem; sign with \(path)/provider.p8, \
            key id \(SimulatorFolder.keyID), team id \(SimulatorFolder.teamID)
            push: curl -i -K \(path)/push.conf -d '{"aps":{"alert":"Hello"}}'
            """
        )
        guard let control else { return }
        try Output.print("look: curl -K \(path)/control.conf http://127.0.0.1:\(control.port)/v1/log")
    }

    /// - Parameter address: with the control API's secret behind the number sign, which no request carries.
    func printPlayground(_ address: String) throws(CommandError) {
        guard printsJSON else { return try Output.print("playground: \(address)") }
        try line { writer in
            writer.member("event", "playground")
            writer.member("url", address)
        }
    }

    func print(_ event: SimulatorEvent) throws(CommandError) {
        let summary = EventSummary(event)
        switch event {
        case .accepted(let push, _), .rejected(_, let push), .injected(_, let push, _): try print(summary, push)
        case .connection: break
        case .lint, .delivery, .appIsGone, .deviceFailed, .channel, .legacy: try print(summary)
        }
    }

    private func print(_ summary: EventSummary, _ push: ReceivedPush) throws(CommandError) {
        guard printsJSON else {
            let target = summary.device.map { " for device \($0)" } ?? ""
            let why = summary.reason.map { " \($0.status) \($0.rawValue)" } ?? ""
            let detail = summary.detail.map { " (\($0))" } ?? ""
            return try Output.print("\(summary.name)\(why): \(push.payloadByteCount) bytes\(target)\(detail)")
        }
        try line { writer in
            writer.member("event", summary.name)
            if let device = summary.device { writer.member("device", device) }
            if let reason = summary.reason { writer.member("reason", reason.rawValue) }
            if let detail = summary.detail { writer.member("detail", detail) }
            writer.name("headers")
            writer.array { writer in
                for field in push.headers { writer.header(field) }
            }
            writer.member("payload", Base64URL.string(push.payload))
        }
    }

    private func print(_ summary: EventSummary) throws(CommandError) {
        let detail = summary.detail ?? summary.id
        guard printsJSON else {
            let words = [summary.name, summary.device.map { "device \($0)" }, detail].compactMap { $0 }
            return try Output.print(TerminalText.safe(words.joined(separator: " ")))
        }
        try line { writer in
            writer.member("event", summary.name)
            if let device = summary.device { writer.member("device", device) }
            if let detail { writer.member("detail", detail) }
        }
    }

    private func line(_ members: (inout JSONWriter) -> Void) throws(CommandError) {
        var writer = JSONWriter()
        writer.object(members)
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension JSONWriter {
    mutating func header(_ field: HeaderBlock.Field) {
        let name = String(decoding: field.name, as: UTF8.self)
        var value = String(decoding: field.value, as: UTF8.self)
        if name == ":path" {
            let prefix = "/3/device/"
            // May hold a token elsewhere.
            value =
                value.hasPrefix(prefix)
                ? "\(prefix)(device token, \((value.utf8.count - prefix.utf8.count) / 2) bytes)"
                : "(another path, \(value.utf8.count) bytes)"
        }
        array { writer in
            writer.string(name)
            writer.string(value)
        }
    }
}
