import APNS
import CommandLineTool
import DeviceLink
import Envelope
import ExtensionHarness
import NotificationCore

struct DeviceLog {
    let printsJSON: Bool

    func printReady() throws(CommandError) {
        guard printsJSON else { return try Output.print("ready: connected, waiting for pushes") }
        var writer = JSONWriter()
        writer.object { $0.member("event", "ready") }
        try print(writer)
    }

    func printWoken(_ push: DevicePush) throws(CommandError) {
        guard printsJSON else { return try Output.print("(a silent push: the app was woken)") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "woken")
            writer.member("apns-id", push.id.description)
        }
        try print(writer)
    }

    func printOther(_ push: DevicePush) throws(CommandError) {
        guard printsJSON else { return try Output.print("(a \(push.pushType.rawValue) push)") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "other")
            writer.member("push-type", push.pushType.rawValue)
            writer.member("apns-id", push.id.description)
        }
        try print(writer)
    }

    func print(_ delivery: VoIPDelivery, of push: DevicePush) throws(CommandError) {
        guard printsJSON else { return try Output.print("(\(TerminalText.safe("\(delivery)")))") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "call")
            writer.member("apns-id", push.id.description)
            writer.member("why", "\(delivery)")
            guard let call = delivery.call else { return }
            writer.member("caller", call.name)
            writer.member("rings", call.state == .ringing)
        }
        try print(writer)
    }

    func print(_ contents: [NotificationContent]) throws(CommandError) {
        let why = "the app opened it, after the phone was unlocked"
        for content in contents {
            guard printsJSON else {
                let lines = [content.title, content.subtitle, content.body].filter { !$0.isEmpty }
                try Output.print(lines.map(TerminalText.safe).joined(separator: "\n") + "\n(\(why))")
                continue
            }
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("event", "shown")
                writer.member("why", why)
                writer.member("title", content.title)
                writer.member("subtitle", content.subtitle)
                writer.member("body", content.body)
                writer.member("thread-id", content.threadID)
            }
            try print(writer)
        }
    }

    func print(_ shown: ShownNotification, of push: DevicePush, on device: Device) throws(CommandError) {
        guard printsJSON else {
            let lines =
                [shown.title, shown.subtitle, shown.body].filter { !$0.isEmpty }
                + shown.attachments.map { "[\($0.type)]" }
            return try Output.print(
                lines.map(TerminalText.safe).joined(separator: "\n") + "\n(\(why(shown))\(enforcement(shown)))"
            )
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "shown")
            writer.member("apns-id", push.id.description)
            writer.member("why", why(shown))
            writer.member("title", shown.title)
            writer.member("subtitle", shown.subtitle)
            writer.member("body", shown.body)
            writer.member("thread-id", shown.threadIdentifier)
            writer.name("attachments")
            writer.array { writer in for attachment in shown.attachments { writer.string(attachment.type) } }
            writer.member("badge", device.badge)
            writer.name("screen")
            writer.array { writer in for listed in device.screen { writer.string(listed.body) } }
            writer.member("memory-limit", limit(shown))
            if let peak = shown.peakMemoryByteCount { writer.member("memory-peak", Int64(peak)) }
        }
        try print(writer)
    }

    func printNotShown(_ push: DevicePush, why: SimulatedPushError) throws(CommandError) {
        guard printsJSON else { return try Output.print("not shown: the payload is \(why.clause)") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "not-shown")
            writer.member("apns-id", push.id.description)
            writer.member("why", why.clause)
        }
        try print(writer)
    }

    private func why(_ shown: ShownNotification) -> String {
        switch shown.why {
        case .answered: "the extension answered"
        case .expired: "the extension answered when its time was over"
        case .timedOut: "the extension never answered: the original is shown"
        case .emptyAnswer: "the extension answered without text: the original is shown"
        case .notRun(.notMutable): "no mutable-content: iOS does not run the extension"
        case .posted: "extension or app posted it"
        case .suppressed: "the extension answered without text: nothing is shown"
        case .invalidAttachment: "iOS does not take the attachment: the original is shown"
        case .ended(let ending): "\(clause(ending)): the original is shown"
        case .notRun(.noVisibleAlert): "nothing to show: iOS does not run the extension"
        case .notRun(.notStarted): "iOS does not start the extension until the phone restarts"
        case .notRun(.alertsOff): "alerts are off: iOS does not run the extension"
        }
    }

    private func clause(_ ending: Ending) -> String {
        switch ending {
        case .returned, .timedOut: "the extension never answered"
        case .terminatedForSecondAnswer: "the extension answered another push twice, and iOS ended it"
        case .killedForMemory(let peak): "the extension was ended for its memory, \(megabytes(peak))"
        case .killedHoldingLock: "the extension was ended for a lock that it held (0xdead10cc)"
        case .crashed(let signal): "the extension crashed with signal \(signal)"
        case .exited(let status): "the extension exited with status \(status)"
        case .hostFailed: "the extension's process could not be used"
        }
    }

    private func enforcement(_ shown: ShownNotification) -> String {
        guard let peak = shown.peakMemoryByteCount else { return "" }
        return "; at most \(megabytes(peak)) in its own process, \(limit(shown))"
    }

    private func limit(_ shown: ShownNotification) -> String {
        switch shown.memory {
        case .none: "not limited"
        case .controlGroup: "limited by a control group"
        case .polled(let interval): "limited by a check every \(Int(interval / .milliseconds(1))) ms"
        }
    }

    private func megabytes(_ byteCount: Int) -> String {
        let tenths = byteCount * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MB"
    }

    private func print(_ writer: JSONWriter) throws(CommandError) {
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension SimulatedPushError {
    /// Follows "the payload is".
    var clause: String {
        switch self {
        case .tooLong(let byteCount, let byteCountMax): "\(byteCount) bytes, more than the \(byteCountMax) of a push"
        case .notJSON: "not JSON"
        case .notAnObject: "not a JSON object"
        case .missingAps: "without an aps dictionary"
        }
    }
}
