import APNS
import APNSSimulator
import Envelope
import Transport

/// The simulator's events as lines: for people, or one JSON object each. No device token is in either.
struct SimulatorLog {
    let printsJSON: Bool

    func printReady(pushPort: UInt16, devicePort: UInt16) throws(CommandFailure) {
        guard printsJSON else {
            return try Output.print("ready: pushes on 127.0.0.1:\(pushPort), devices on 127.0.0.1:\(devicePort)")
        }
        try line { writer in
            writer.member("event", "ready")
            writer.member("push-port", pushPort)
            writer.member("device-port", devicePort)
        }
    }

    func print(_ event: SimulatorEvent) throws(CommandFailure) {
        switch event {
        case .accepted(let push, let device): try print("accepted", push, device: device, reason: nil)
        case .rejected(let reason, let push): try print("rejected", push, device: nil, reason: reason)
        case .lint(let lint, let device): try printSimple("lint", device: device, detail: "\(lint)")
        case .delivery(let delivery): try print(delivery)
        // Of no interest to whoever looks at pushes.
        case .connection: break
        case .deviceFailed(let error):
            try printSimple("device-failed", device: nil, detail: "\(error)")
        case .channel(let event): try printSimple("channel", device: nil, detail: "\(event)")
        case .legacy(let event): try printSimple("legacy", device: nil, detail: "\(event)")
        }
    }

    private func print(
        _ name: String,
        _ push: ReceivedPush,
        device: Int?,
        reason: Reason?
    ) throws(CommandFailure) {
        guard printsJSON else {
            let target = device.map { " for device \($0)" } ?? ""
            let why = reason.map { " \($0.status) \($0.rawValue)" } ?? ""
            return try Output.print("\(name)\(why): \(push.payloadByteCount) bytes\(target)")
        }
        try line { writer in
            writer.member("event", name)
            if let device { writer.member("device", device) }
            if let reason { writer.member("reason", reason.rawValue) }
            writer.name("headers")
            writer.array { writer in
                for field in push.headers { writer.header(field) }
            }
            // Exactly the bytes that came.
            writer.member("payload", Base64URL.string(push.payload))
        }
    }

    private func print(_ delivery: DeliveryEvent) throws(CommandFailure) {
        switch delivery {
        case .connected(let device): try printSimple("connected", device: device, detail: nil)
        case .disconnected(let device): try printSimple("disconnected", device: device, detail: nil)
        case .delivered(let id, let device): try printSimple("delivered", device: device, detail: "\(id)")
        case .stored(let id, let device): try printSimple("stored", device: device, detail: "\(id)")
        case .replaced(let id, let device): try printSimple("replaced", device: device, detail: "\(id)")
        case .discarded(let id, let device): try printSimple("discarded", device: device, detail: "\(id)")
        }
    }

    private func printSimple(_ name: String, device: Int?, detail: String?) throws(CommandFailure) {
        guard printsJSON else {
            let words = [name, device.map { "device \($0)" }, detail].compactMap { $0 }
            return try Output.print(TerminalText.safe(words.joined(separator: " ")))
        }
        try line { writer in
            writer.member("event", name)
            if let device { writer.member("device", device) }
            if let detail { writer.member("detail", detail) }
        }
    }

    private func line(_ members: (inout JSONWriter) -> Void) throws(CommandFailure) {
        var writer = JSONWriter()
        writer.object(members)
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension JSONWriter {
    /// The path of a push ends in the device token, which belongs into no log.
    fileprivate mutating func header(_ field: HeaderBlock.Field) {
        let name = String(decoding: field.name, as: UTF8.self)
        var value = String(decoding: field.value, as: UTF8.self)
        if name == ":path" {
            let prefix = "/3/device/"
            // Whatever else somebody asks for may hold a token too, in another place.
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
