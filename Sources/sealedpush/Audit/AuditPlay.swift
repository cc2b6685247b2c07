import Audit
import ChildProcesses
import CommandLineTool
import Envelope
import Glibc
import HTTP
import HTTPSClient
import Keys
import NotificationCore
import Platform
import Primitives
import Sealing

/// Plants canaries on the whole way from a sender to a phone, and keeps what each party had.
struct AuditPlay {
    private let stage: DemoStage
    private let receiver: AuditReceiver
    private let held: AuditFolder
    private let home: String
    private let phone: DemoPhone
    private var set = CanarySet()
    private var calls: [[UInt8]] = []

    init(_ stage: DemoStage, _ receiver: AuditReceiver, home: String, held: AuditFolder) {
        self.stage = stage
        self.receiver = receiver
        self.home = home
        self.held = held
        phone = stage.tablet
    }

    /// - Returns: the canaries; and, if the relay's memory could not be read, the reason.
    mutating func run() throws(CommandError) -> (set: CanarySet, unread: [Party: String]) {
        try stage.switchOn(phone)
        try plantKeys()
        try register()
        let sender = try sender()
        let pictures = try uploadPictures()
        var traces: [String] = []
        for (name, padding) in [("short", 0), ("long", 1_500)] {
            let message = try send(name, padding, pictures[traces.count], sender)
            _ = try phone.nextShown()
            try awaitReceipt(message.id)
            traces.append(message.trace)
        }
        set.records = [CanarySet.Pair(short: traces[0], long: traces[1])]
        try lockAndUnlock(sender)
        try awaitHooks(of: traces)
        let unread = try keepRelay()
        try held.copyFolder(stage.attachment.filesFolder, .blobs)
        try keepApple()
        try held.write(set)
        return (set, unread)
    }

    // MARK: Canaries

    private mutating func plantKeys() throws(CommandError) {
        try set.plant("device id", .deviceID, phone.id.utf8)
        try set.plant("device token", .deviceToken, try hexadecimal(phone.tokenPath))
        let identity = try line(phone.identity).split(separator: ":").last.map(String.init) ?? ""
        try set.plant("device's identity", .identity, try decoded(identity))
        for (index, seed) in try secrets(phone.deviceKey).enumerated() {
            try set.plant(index == 0 ? "device's private identity" : "device's prekey", .deviceKeys, seed)
        }
        try set.plant("API key", .relayKeys, stage.relay.apiKeys[0].utf8)
        try set.plant("key of device tokens", .relayKeys, try tokenKey())
        for name in ["provider.p8", "relay.key"] {
            try set.plant("private key of \(name)", .relayKeys, try scalar("\(stage.folder)/\(name)"))
        }
        for secret in try secrets(stage.keys + "/sender.key") {
            try set.plant("sender's private key", .senderKey, secret)
        }
        let sender = try line(stage.keys + "/sender.pub").split(separator: ":").last.map(String.init) ?? ""
        try set.plant("sender's public key", .sender, try decoded(sender))
    }

    private func sender() throws(CommandError) -> SenderIdentity {
        do throws(FileError) {
            return try SenderIdentity(keyFile: stage.keys + "/sender.key", exampleKeys: .allowed)
        } catch {
            throw .file(error)
        }
    }

    /// Two files of one stored length.
    private mutating func uploadPictures() throws(CommandError) -> [AttachmentPointer] {
        let picture = try read(stage.picture)
        var pointers: [AttachmentPointer] = []
        for (name, padding) in [("short", 0), ("long", Self.room(picture.count + 20))] {
            let word = AuditMessage.word()
            let path = "\(stage.folder)/\(name).png"
            try write(picture + Array(word.utf8) + [UInt8](repeating: 0, count: padding), path)
            let attachment = DemoAttachment(keys: stage.keys, folder: stage.folder, stop: stage.stop, name: name)
            _ = try attachment.upload(path, port: stage.filesPort)
            let pointer: AttachmentPointer
            do { pointer = try MessageDocument.parseAttachment(try read(attachment.pointerPath)) } catch {
                throw .failed("'attachment upload' printed no pointer")
            }
            let address = pointer.url.text.split(separator: "/").last.map(String.init) ?? ""
            try set.plant("content of the \(name) picture", .attachment, word.utf8)
            try set.plant("key of the \(name) picture", .attachment, pointer.key.withBytes { $0 })
            try set.plant("address of the \(name) picture", .fileAddress, address.utf8)
            try set.plant("\(name) picture, sealed", .sealedFile, try read(attachment.storedPath)[600..<664])
            pointers.append(pointer)
        }
        set.files.append(CanarySet.Pair(short: "short picture, sealed", long: "long picture, sealed"))
        return pointers
    }

    /// Bytes that a file may be longer by, without being stored longer.
    private static func room(_ byteCount: Int) -> Int {
        let stored = AttachmentLength.stored(UInt64(byteCount))
        return (0..<2_000).last { AttachmentLength.stored(UInt64(byteCount + $0)) == stored } ?? 0
    }

    // MARK: The way

    private mutating func register() throws(CommandError) {
        let registration = try phone.registration()
        calls.append(registration)
        let answer = try stage.relay.ask(.put, "/v1/devices/\(phone.id)", registration)
        guard answer.status < 300 else { throw .failed("the relay refused the phone (\(answer.status))") }
    }

    private mutating func send(
        _ name: String,
        _ padding: Int,
        _ attachment: AttachmentPointer?,
        _ sender: borrowing SenderIdentity
    ) throws(CommandError) -> (id: String, trace: String, envelope: String) {
        let answer = try stage.relay.ask(.get, "/v1/devices/\(phone.id)/bundle")
        guard let bundle = (answer.json?["bundle"]?.string).flatMap(Base64URL.decode(text:)) else {
            throw .failed("the relay has no key bundle of the phone (\(answer.status))")
        }
        let recipient: Recipient
        do {
            recipient = try Recipient(
                bundle: bundle,
                pinnedIdentity: try IdentityKey(text: try line(phone.identity)),
                topic: try BundleID(RelayConfiguration.topic),
                withoutPinsAt: .now
            )
        } catch {
            throw .failed("the key bundle from the relay is not the phone's")
        }
        let message = try AuditMessage(
            name,
            padding: padding,
            attachment: attachment,
            from: sender,
            to: recipient,
            &set
        )
        let submission = message.submission(to: phone.id, topic: RelayConfiguration.topic)
        calls.append(submission)
        let accepted = try stage.relay.ask(.post, "/v1/notifications", submission)
        guard accepted.status == 202, let id = accepted.json?["notifications"]?.elements?.first?["id"]?.string else {
            throw .failed("the relay refused a notification (\(accepted.status))")
        }
        return (id, message.trace, message.envelopeCanary)
    }

    /// Two messages come before the first unlock, and are opened after it.
    private mutating func lockAndUnlock(_ sender: borrowing SenderIdentity) throws(CommandError) {
        phone.switchOff()
        try stage.switchOn(phone, isLocked: true)
        var envelopes: [String] = []
        for (name, padding) in [("short kept", 0), ("long kept", 1_500)] {
            envelopes.append(try send(name, padding, nil, sender).envelope)
            _ = try phone.nextShown()
        }
        set.files.append(CanarySet.Pair(short: envelopes[0], long: envelopes[1]))
        phone.switchOff()
        try held.copyFolder(home, .locked, onlyLocked: true)
        try keepSpooled()
        try stage.switchOn(phone)
        for _ in envelopes { _ = try phone.nextShown() }
        phone.switchOff()
        try held.copyFolder(home, .phone)
    }

    /// Keeps each waiting message in a file of its own: the spool tells their lengths, its file's does not.
    private func keepSpooled() throws(CommandError) {
        var messages: [[UInt8]] = []
        do {
            for path in try HeldFiles.paths(at: home, of: .locked) where path.hasSuffix("/sealedpush.spool") {
                try Spool(path: path).drain { message in
                    messages.append(message.bytes)
                    return .keep
                }
            }
        } catch {
            throw .failed("the phone's kept messages cannot be read; check the owner of \(home)")
        }
        for (index, message) in messages.enumerated() { try held.write(message, .locked, "spooled-\(index + 1)") }
    }

    private func awaitReceipt(_ id: String) throws(CommandError) {
        try wait(for: "the receipt of a message that was shown") { () throws(CommandError) in
            try stage.relay.ask(.get, "/v1/notifications/\(id)").json?["state"]?.string == "delivered"
        }
    }

    private func awaitHooks(of traces: [String]) throws(CommandError) {
        try wait(for: "a webhook call for each message") { () throws(CommandError) in
            let texts = receiver.requests.map { String(decoding: $0.body, as: UTF8.self) }
            return traces.allSatisfy { trace in texts.contains { $0.contains(trace) } }
        }
    }

    private func wait(
        for what: String,
        _ isThere: () throws(CommandError) -> Bool
    ) throws(CommandError) {
        for _ in 0..<600 {
            if try isThere() { return }
            usleep(100_000)
        }
        throw .failed("\(what) did not come within a minute")
    }

    // MARK: Holdings

    private func keepRelay() throws(CommandError) -> [Party: String] {
        var unread: [Party: String] = [:]
        let image = "\(stage.folder)/memory.image"
        do throws(AuditError) {
            try MemoryImage.write(of: stage.relay.processID, to: image)
        } catch {
            unread[.memory] = error.sentence
        }
        if unread.isEmpty { try held.copyFile(image, .memory, "sealedpushd.image") }
        try held.write(joined(calls), .calls, "bodies")
        try held.write(try stage.relay.call(.get, "/v1/metrics").bytes, .stats, "metrics")
        let requests = receiver.requests
        try held.write(joined(requests.map(\.body)), .hooks, "bodies")
        let fields = requests.flatMap { $0.fields.map { Array("\($0.name): \($0.value)".utf8) } }
        try held.write(joined(fields), .hooks, "fields")
        let copy = "\(stage.folder)/copy.sqlite"
        try ChildProcess(
            beside: "sealedpushd",
            ["backup", copy, "--config", "\(stage.folder)/sealedpushd.json"],
            stop: stage.stop
        )
        .wait()
        try held.copyFile(copy, .copy, "store.sqlite")
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            try held.copyFile("\(stage.folder)/\(name)", .store, name)
        }
        try held.write(try stage.relay.end(), .log, "lines")
        return unread
    }

    /// Each push on one line, its payload as it came.
    private func keepApple() throws(CommandError) {
        try stage.simulator.end()
        let printed = stage.simulator.transcript
        var pushes: [[UInt8]] = []
        for line in printed.split(separator: UInt8(ascii: "\n")) {
            let event = try stage.simulator.parse(Array(line))
            guard event["event"]?.string == "accepted",
                let payload = (event["payload"]?.string).flatMap(Base64URL.decode(text:))
            else { continue }
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("headers")
                writer.array { writer in
                    for field in event["headers"]?.elements ?? [] {
                        writer.string((field.elements ?? []).compactMap(\.string).joined(separator: ": "))
                    }
                }
                writer.name("payload")
                writer.raw(payload)
            }
            pushes.append(writer.bytes)
        }
        try held.write(printed, .apple, "events")
        try held.write(joined(pushes), .apple, "pushes")
    }

    private func joined(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }
}

// Values from files.
extension AuditPlay {
    private func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(FileError) { return try WholeFile.read(path, byteCountMax: 1 << 20) } catch { throw .file(error) }
    }

    private func write(_ bytes: [UInt8], _ path: String) throws(CommandError) {
        do throws(FileError) { try WholeFile.write(bytes, to: path, access: .ownerOnly) } catch { throw .file(error) }
    }

    private func line(_ path: String) throws(CommandError) -> String {
        String(decoding: try read(path).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private func decoded(_ text: String) throws(CommandError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text: text) else { throw .failed("a key's text is not base64url") }
        return bytes
    }

    private func hexadecimal(_ path: String) throws(CommandError) -> [UInt8] {
        let digits = Array(try line(path))
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    /// Last words of a key file's lines that are 32 bytes.
    private func secrets(_ path: String) throws(CommandError) -> [[UInt8]] {
        String(decoding: try read(path), as: UTF8.self).split(separator: "\n").compactMap { line in
            let bytes = line.split(separator: " ").last.flatMap { Base64URL.decode(text: String($0)) }
            return bytes?.count == 32 ? bytes : nil
        }
    }

    private func tokenKey() throws(CommandError) -> [UInt8] {
        let bytes = try read("\(stage.folder)/token.key")
        return bytes.count == 32 ? bytes : try decoded(try line("\(stage.folder)/token.key"))
    }

    /// Private value of a P-256 key in PKCS #8 (RFC 5915): an OCTET STRING of 32 bytes.
    private func scalar(_ path: String) throws(CommandError) -> [UInt8] {
        let lines = String(decoding: try read(path), as: UTF8.self).split(separator: "\n")
        let text = lines.filter { !$0.contains("-") && !$0.contains("#") }.joined().filter { $0 != "=" }
            .map { character -> Character in
                switch character {
                case "+": "-"
                case "/": "_"
                default: character
                }
            }
        let bytes = Base64URL.decode(text: String(text)) ?? []
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: [0x04, 0x20]) }),
            bytes.count >= start + 34
        else { throw .failed("\(TerminalText.safe(path)) is not a key of P-256; check the example keys") }
        return Array(bytes[(start + 2)..<(start + 34)])
    }
}
