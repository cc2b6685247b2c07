import CommandLineTool
import Envelope
import Keys
import Opening
import WebPush

struct OpenCommand: Command {
    static let name = "open"
    static let summary = "opens a push payload with a device's keys and prints the message"
    static let operands = "PUSH.json"
    static let options = [
        Option("--device-key", "FILE", "the device's private keys, from 'keygen device'"),
        Option("--senders", "FILE", "the senders to trust: a line of sender.pub each, or a contact list"),
        Option("--topic", "BUNDLE-ID", "refuse keys made for another app"),
        Option("--web-push-key", "FILE", "instead of those: opens the 'webpush' field, with keys of 'keygen web-push'"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush open push.json --device-key keys-example/device.key \\
              --senders keys-example/sender.pub --allow-example-keys

        Exit code 1 and a sentence on standard error for a push that a device would not show. A Web Push message has no
        signature: any holder of the subscription's values can have written it. A call's sender needs the right to call,
        which a contact list gives: 'sealedpush-contacts-1', 'unknown-senders placeholder', then
        '<sender.pub> person call Ada'.
        """

    private let arguments: Arguments
    private let payloadPath: String
    private let opener: PayloadOpener

    /// The keys decide the format, without fallback.
    private enum PayloadOpener {
        case sealed(deviceKeyPath: String, sendersPath: String)
        case webPush(keyPath: String)
    }

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        payloadPath = try arguments.operand("PUSH.json")
        guard let keyPath = arguments.value("--web-push-key") else {
            opener = .sealed(
                deviceKeyPath: try arguments.required("--device-key"),
                sendersPath: try arguments.required("--senders")
            )
            return
        }
        for name in ["--device-key", "--senders", "--topic"] where arguments.value(name) != nil {
            throw arguments.wrong("--web-push-key replaces \(name); give one of them")
        }
        opener = .webPush(keyPath: keyPath)
    }

    func run() throws(CommandError) {
        let report = try PayloadFile.report(payloadPath)
        guard report.sealed == .absent || report.webPush == .absent else { throw failure(Outcome.malformed.sentence) }
        switch opener {
        case .sealed(let keyPath, let sendersPath):
            let envelope = try envelope(report)
            let opener = try messageOpener(keyPath, sendersPath, envelope.pushClass)
            let field = String(decoding: envelope.sealedField, as: UTF8.self)
            let outcome = opener.open(sealedField: field, now: .now).outcome
            guard case .opened(let opened) = outcome else { throw failure(outcome.sentence) }
            try print(opened)
        case .webPush(let keyPath):
            try print(try openWebPush(report, keyPath))
        }
    }

    private func failure(_ sentence: String) -> CommandError {
        .failed("\(TerminalText.safe(payloadPath)): \(sentence)")
    }

    /// On a device the push tells; here the field's length.
    private func messageOpener(
        _ keyPath: String,
        _ sendersPath: String,
        _ pushClass: PushClass
    ) throws(CommandError) -> MessageOpener {
        let topic = arguments.value("--topic") == nil ? nil : try arguments.topic()
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
            guard topic == nil || topic == keys.topic else {
                throw FileError.malformed(path: keyPath, expected: "the keys of \(topic?.text ?? "")")
            }
            return MessageOpener(
                keyRing: keys.keyRing,
                contacts: try ContactList(file: sendersPath),
                replay: .none,
                pushClass: pushClass
            )
        } catch {
            throw .file(error)
        }
    }

    private func envelope(_ report: PayloadReport) throws(CommandError) -> Envelope {
        switch report.sealed {
        case .absent where report.webPush != .absent:
            throw failure("the payload has a \"webpush\" field and no \"sealed\" one; open it with --web-push-key")
        case .absent: throw failure(Outcome.notSealed.sentence)
        case .notAString, .unreadable(.wrongLength), .unreadable(.notBase64URL):
            throw failure(Outcome.malformed.sentence)
        case .unreadable(.unsupportedVersion), .unreadable(.unsupportedSuite):
            throw failure(Outcome.unsupported.sentence)
        case .envelope(let envelope): return envelope
        }
    }

    private func openWebPush(
        _ report: PayloadReport,
        _ keyPath: String
    ) throws(CommandError) -> UnauthenticatedMessage {
        let keys: WebPushKeys
        do throws(FileError) {
            keys = try WebPushKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
        } catch {
            throw .file(error)
        }
        switch report.webPush {
        case .absent: throw failure("the payload has no \"webpush\" field")
        case .notAString: throw failure("the \"webpush\" field is not a string")
        case .field(let field):
            do throws(WebPushError) {
                return try WebPushOpener(keys: keys).open(field: field)
            } catch {
                throw failure(error.sentence)
            }
        }
    }

    private func print(_ message: UnauthenticatedMessage) throws(CommandError) {
        guard arguments.flag(.json) else {
            for line in [message.title, message.body] where !line.isEmpty { try Output.print(TerminalText.safe(line)) }
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("outcome", "unauthenticated")
            writer.member("title", message.title)
            writer.member("body", message.body)
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }

    private func print(_ opened: OpenedMessage) throws(CommandError) {
        let message = opened.message
        let call: String? = if case .call(let call) = message.operation { call } else { nil }
        guard arguments.flag(.json) else {
            if let call { try Output.print("[call: \(TerminalText.safe(call))]") }
            for line in [message.title, message.subtitle, message.body] where !line.isEmpty {
                try Output.print(TerminalText.safe(line))
            }
            for attachment in message.attachments { try Output.print(attachment.line) }
            if opened.isTruncated { Output.complain("sealedpush: the sender had to shorten the text") }
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            if let call { writer.member("call", call) }
            writer.member("title", message.title)
            writer.member("subtitle", message.subtitle)
            writer.member("body", message.body)
            writer.member("thread-id", message.threadID)
            writer.name("attachments")
            writer.array { writer in for attachment in message.attachments { attachment.write(to: &writer) } }
            writer.member("message-id", opened.messageID.text)
            writer.member("sent-at", opened.sentAt.milliseconds)
            writer.member("expires-at", opened.expiresAt.milliseconds)
            writer.member("sender", opened.sender.text)
            writer.member("truncated", opened.isTruncated)
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

// Without the key: output ends up in logs.
extension AttachmentPointer {
    fileprivate var line: String {
        let what = isThumbnail ? "thumbnail" : "attachment"
        let name = name.map { " (\(TerminalText.safe($0)))" } ?? ""
        return "[\(what): \(type.text), \(byteCount) bytes, \(url.text)\(name)]"
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.text)
            writer.member("url", url.text)
            writer.member("size", byteCount)
            writer.member("stored", storedByteCount)
            writer.member("type", type.text)
            if let name { writer.member("name", name) }
            if isThumbnail { writer.member("thumbnail", true) }
        }
    }
}
