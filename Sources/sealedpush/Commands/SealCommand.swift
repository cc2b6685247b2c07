import CommandLineTool
import Envelope
import Keys
import Sealing

struct SealCommand: Command {
    static let name = "seal"
    static let summary = "seals a message for a device and prints the push payload"
    static let operands = "MESSAGE.json"
    static let options = [
        Option("--sender-key", "FILE", "your private key, from 'keygen sender'", isRequired: true),
        Option("--bundle", "FILE", "the device's key bundle, from the relay or any other source", isRequired: true),
        Option(
            "--identity",
            "FILE",
            "the device's public identity, from a channel that you trust",
            isRequired: true
        ),
        Option("--topic", "BUNDLE-ID", "the app's bundle id", isRequired: true),
        Option(
            "--pins",
            "FOLDER",
            "remembers each device's newest bundle and refuses older ones; made if missing; see below"
        ),
        Option(
            "--attachment",
            "POINTER.json",
            "an attachment's pointer, from 'attachment seal'; 4 at most, in order",
            isRepeatable: true
        ),
        Option("--call", "TEXT", "seals a call with this text for the app, instead of MESSAGE.json"),
        Option("--class", "alert|call", "refuses a message of the other kind; without it, the message's own kind"),
        Option("--out", "FILE", "writes the payload there; standard output without it"),
        Option(
            "--lifetime",
            "TIME",
            "its lifetime, at most 7d, 1d without it; a call's 60s, 30s without it"
        ),
        Option("--too-long", "shorten|refuse", "the handling of a text that does not fit; shorten without it"),
        Option("--placeholder-title", "TEXT", "the placeholder's title, a constant of the app"),
        Option("--placeholder-body", "TEXT", "the placeholder's text; 'You have a new message' without it"),
        Option("--placeholder-key", "KEY", "a loc-key instead of both, which does not show a language"),
        receipt, sealedOnly, .json, .allowExampleKeys,
    ]
    private static let sealedOnly = Option(
        flag: "--sealed-only",
        "prints the member 'sealed' alone instead of the payload, for the relay"
    )
    private static let receipt = Option(
        flag: "--receipt",
        "asks for a receipt; prints its hash, the receipt-hash for the relay"
    )
    static let example = """
        Example:
          sealedpush seal keys-example/message.json \\
              --sender-key keys-example/sender.key --bundle device.bundle \\
              --identity keys-example/identity.pub --topic com.example.chat \\
              --out push.json --allow-example-keys

        MESSAGE.json is {"title":"…","subtitle":"…","body":"…","thread-id":"…"}, or - for standard input. A call is
        {"op":"call","call":"…"}; the app alone knows what its text means. It becomes a VoIP push, which has no placeholder,
        4,919 bytes instead of 4,096 at most. POINTER.json is the output of 'attachment seal',
        {"id":"…","url":"https://…","key":"…","size":…,"stored":…,"type":"image/jpeg"}.

        Without --pins nothing is remembered: an older bundle of the device, another one of the same epoch and one with a
        lower suite are accepted like the newest, as long as they are valid. Their source can then keep you on keys that
        the device has replaced, for 60 days at most. Use it for trials, and --pins for all else.

        'seal --lines' seals for many recipients in one process.
        """

    private let arguments: Arguments
    private let source: Source
    private let kind: Kind?
    private let topic: BundleID
    private let overflow: Message.Overflow
    private let placeholder: Placeholder
    private let lifetime: Duration?

    private enum Source {
        case file(path: String)
        case call(String)
    }

    private enum Kind: String { case alert, call }

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        guard !arguments.flag(Self.receipt) || arguments.value("--out") != nil else {
            throw arguments.wrong("--receipt prints the hash: write the payload to a file with --out")
        }
        if let call = arguments.value("--call") {
            guard arguments.operands.isEmpty else {
                throw arguments.wrong("--call replaces MESSAGE.json; give one of them")
            }
            source = .call(call)
        } else {
            source = .file(path: try arguments.operand("MESSAGE.json"))
        }
        if arguments.flag(Self.sealedOnly), Arguments.placeholders.contains(where: { arguments.value($0) != nil }) {
            throw arguments.wrong("--sealed-only prints no placeholder: leave it out, the relay has its own")
        }
        kind = try arguments.value("--class").map { text throws(CommandError) in
            guard let kind = Kind(rawValue: text) else { throw arguments.wrong("--class must be 'alert' or 'call'") }
            return kind
        }
        topic = try arguments.topic()
        switch arguments.value("--too-long") {
        case nil, "shorten": overflow = .shorten
        case "refuse": overflow = .refuse
        default: throw arguments.wrong("--too-long must be 'shorten' or 'refuse'")
        }
        placeholder = try arguments.placeholder()
        lifetime = try arguments.duration("--lifetime")
    }

    func run() throws(CommandError) {
        var message = try readMessage()
        for path in arguments.values("--attachment") { message.attachments.append(try readAttachment(path)) }
        try checkKind(of: message)
        if arguments.flag(Self.receipt) { message.receipt = .random() }
        let sealed = try seal(message)
        let payload =
            arguments.flag(Self.sealedOnly)
            ? Array((sealed.sealedField + "\n").utf8) : sealed.payload(placeholder: placeholder)
        let out = arguments.value("--out")
        try writeOutput(payload, to: out)
        guard arguments.flag(.json) else {
            if sealed.isTruncated { Output.complain("sealedpush: the text was shortened to fit, and marked so") }
            if arguments.flag(Self.receipt), let receipt = message.receipt {
                try Output.print("receipt-hash \(receipt.receiptHash)")
            }
            return
        }
        guard out != nil else { return }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("bytes", payload.count)
            writer.member("class", (sealed.isCall ? Kind.call : .alert).rawValue)
            writer.member("message-id", sealed.messageID.text)
            writer.member("trace", sealed.trace.text)
            writer.member("truncated", sealed.isTruncated)
            if let receipt = message.receipt { writer.member("receipt-hash", receipt.receiptHash) }
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }

    private func readMessage() throws(CommandError) -> Message {
        let path: String
        switch source {
        case .file(let file): path = file
        case .call(let text):
            var message = Message()
            message.operation = .call(text)
            return message
        }
        let bytes = try readInput(path, byteCountMax: MessageDocument.byteCountMax)
        do {
            return try MessageDocument.parse(bytes)
        } catch {
            throw failure(error, in: path)
        }
    }

    /// A VoIP push without a call ends the app, and a call as an alert does not ring.
    private func checkKind(of message: Message) throws(CommandError) {
        let isCall = if case .call = message.operation { true } else { false }
        switch kind {
        case .call where !isCall:
            throw .failed(
                "--class call needs a call: write {\"op\":\"call\",\"call\":\"…\"}, or pass --call TEXT"
            )
        case .alert where isCall:
            throw .failed("this message is a call and cannot be an alert; leave --class out, or pass --class call")
        case .alert, .call, nil: break
        }
        let placeholders = Arguments.placeholders
        if isCall, let name = placeholders.first(where: { arguments.value($0) != nil }) {
            throw .failed("a call shows no placeholder: leave \(name) out")
        }
    }

    private func readAttachment(_ path: String) throws(CommandError) -> AttachmentPointer {
        let bytes = try readInput(path, byteCountMax: MessageDocument.byteCountMax)
        do {
            return try MessageDocument.parseAttachment(bytes)
        } catch {
            throw failure(error, in: path)
        }
    }

    private func failure(_ error: MessageDocumentError, in path: String) -> CommandError {
        .failed("\(TerminalText.safe(path)):\(error.line):\(error.column): \(error.reason)")
    }

    private func seal(_ message: Message) throws(CommandError) -> SealedMessage {
        let sender = try arguments.senderIdentity()
        let recipient = try recipient()
        do {
            return try sender.seal(message, for: recipient, sentAt: .now, lifetime: lifetime, overflow: overflow)
        } catch {
            throw .failed(error.sentence)
        }
    }

    private func recipient() throws(CommandError) -> Recipient {
        let bundlePath = try arguments.required("--bundle")
        let identity = try arguments.verifyingKey(file: try arguments.required("--identity"), DeviceOwner.self)
        let text = try readInput(bundlePath, byteCountMax: 16 * 1024).filter { $0 > 0x20 }
        guard let bundle = Base64URL.decode(text) else {
            throw .failed("\(TerminalText.safe(bundlePath)) is not a key bundle (base64url); check the path")
        }
        let pins = try arguments.pins()
        do {
            return try recipient(bundle, identity, pins)
        } catch {
            if case .pins(let error) = error { throw .failed(error.sentence) }
            throw .failed("\(TerminalText.safe(bundlePath)): \(error.sentence)")
        }
    }

    private func recipient(
        _ bundle: [UInt8],
        _ identity: IdentityKey,
        _ pins: FileBundlePinStore?
    ) throws(RecipientError) -> Recipient {
        let now = Timestamp.now
        guard let pins else {
            return try Recipient(bundle: bundle, pinnedIdentity: identity, topic: topic, withoutPinsAt: now)
        }
        return try Recipient(
            bundle: bundle,
            fetchedAt: now,
            pinnedIdentity: identity,
            topic: topic,
            pins: pins,
            now: now
        )
    }
}

extension Arguments {
    fileprivate static let placeholders = ["--placeholder-title", "--placeholder-body", "--placeholder-key"]

    fileprivate func placeholder() throws(CommandError) -> Placeholder {
        let title = value("--placeholder-title")
        let body = value("--placeholder-body")
        do {
            if let key = value("--placeholder-key") {
                guard title == nil, body == nil else {
                    throw wrong(
                        "--placeholder-key replaces --placeholder-title and --placeholder-body; leave these out"
                    )
                }
                return try Placeholder(localizationKey: key)
            }
            return try Placeholder(title: title ?? "", body: body ?? "You have a new message")
        } catch let error as CommandError {
            throw error
        } catch {
            throw wrong("the placeholder may take \(Placeholder.byteCountMax) bytes of JSON; make it shorter")
        }
    }
}
