import Envelope
import Keys
import Opening

/// A push payload in, the message out: what the device would do, without one.
struct OpenCommand: Command {
    static let name = "open"
    static let summary = "opens a push payload with a device's keys and prints the message"
    static let operands = "PUSH.json"
    static let options = [
        Option("--device-key", "FILE", "the device's private keys, from 'keygen device'", isRequired: true),
        Option(
            "--senders",
            "FILE",
            "the senders to trust: a line of sender.pub each, or a contact list",
            isRequired: true
        ),
        Option("--topic", "BUNDLE-ID", "refuse keys made for another app"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush open push.json --device-key keys-example/device.key --senders keys-example/sender.pub \\
              --allow-example-keys

        Exit code 1 and a sentence on standard error for a push that a device would not show.
        """

    private let arguments: Arguments
    private let payloadPath: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        payloadPath = try arguments.operand("PUSH.json")
    }

    func run() throws(CommandFailure) {
        let field = try sealedField()
        let outcome = try opener().open(sealedField: field, now: .now).outcome
        guard case .opened(let opened) = outcome else {
            throw .failed("\(TerminalText.safe(payloadPath)): \(outcome.sentence)")
        }
        try print(opened)
    }

    private func opener() throws(CommandFailure) -> MessageOpener {
        let keyPath = try arguments.required("--device-key")
        let sendersPath = try arguments.required("--senders")
        let topic = arguments.value("--topic") == nil ? nil : try arguments.topic()
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
            guard topic == nil || topic == keys.topic else {
                throw FileError.malformed(path: keyPath, expected: "the keys of \(topic?.text ?? "")")
            }
            return MessageOpener(
                keyRing: keys.keyRing,
                contacts: try ContactList(file: sendersPath),
                replay: .none
            )
        } catch {
            throw .file(error)
        }
    }

    private func sealedField() throws(CommandFailure) -> String {
        let report = try PayloadFile.report(payloadPath)
        guard !report.otherNames.contains(Payload.webPushName) else {
            throw .failed("\(TerminalText.safe(payloadPath)): \(Outcome.malformed.sentence)")
        }
        switch report.sealed {
        case .absent: throw .failed("\(TerminalText.safe(payloadPath)): \(Outcome.notSealed.sentence)")
        case .notAString, .unreadable(.wrongLength), .unreadable(.notBase64URL):
            throw .failed("\(TerminalText.safe(payloadPath)): \(Outcome.malformed.sentence)")
        case .unreadable(.unsupportedVersion), .unreadable(.unsupportedSuite):
            throw .failed("\(TerminalText.safe(payloadPath)): \(Outcome.unsupported.sentence)")
        case .envelope(let envelope): return String(decoding: envelope.sealedField, as: UTF8.self)
        }
    }

    private func print(_ opened: OpenedMessage) throws(CommandFailure) {
        let message = opened.message
        guard arguments.flag(.json) else {
            for line in [message.title, message.subtitle, message.body] where !line.isEmpty {
                try Output.print(TerminalText.safe(line))
            }
            if opened.isTruncated { Output.complain("sealedpush: the sender had to shorten the text") }
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("title", message.title)
            writer.member("subtitle", message.subtitle)
            writer.member("body", message.body)
            writer.member("thread-id", message.threadID)
            writer.member("message-id", opened.messageID.text)
            writer.member("sent-at", opened.sentAt.milliseconds)
            writer.member("expires-at", opened.expiresAt.milliseconds)
            writer.member("sender", opened.sender.text)
            writer.member("truncated", opened.isTruncated)
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension Outcome {
    /// What a tester learns; a person with a phone sees the app's placeholder instead.
    var sentence: String {
        switch self {
        case .opened: "opened"
        case .notSealed: "the payload has no \"sealed\" field; was it made by 'sealedpush seal'?"
        case .malformed:
            "nothing that a trusted sender sealed for this device: changed on the way, made for another app, or not "
                + "signed rightly"
        case .unsupported: "made by a newer version; update this program"
        case .unknownKey: "sealed for another device, or to a prekey that this device no longer has"
        case .staleKey: "sealed to a prekey that this device destroyed; send it the device's new bundle"
        case .locked: "sealed to a prekey that can be read only while the device is unlocked"
        case .unverifiedSender(let key): "well signed, but by a sender that is not trusted here: \(key.text)"
        case .expired: "expired; it must not be shown any more"
        case .clockUntrusted: "sent more than five minutes in the future; check both clocks"
        case .tooOld: "as old as messages of this sender that the device had to forget"
        case .replay: "opened before"
        case .storeUnavailable: "the replay window could not be used, so that nothing may count as new"
        case .notPermitted: "an operation that this sender has no right to"
        case .superseded: "a later change of the same message was there first"
        case .unauthenticated: "a Web Push message, which nobody signed"
        case .keysUnavailable: "the device's keys could not be read"
        }
    }
}
