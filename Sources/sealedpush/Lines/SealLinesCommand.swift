import CommandLineTool
import Envelope
import Glibc
import Keys
import Platform
import Sealing

/// Seals for many recipients in one process, lines of JSON in and out.
struct SealLinesCommand: Command {
    static let name = "seal --lines"
    static let summary = "seals each line of standard input, for many recipients in one process"
    static let operands = ""
    static let options = [
        Option("--sender-key", "FILE", "your private key", isRequired: true),
        Option("--topic", "BUNDLE-ID", "the app's bundle id", isRequired: true),
        Option("--pins", "FOLDER", "as for seal, on the disk before a line"),
        sealedOnly, .allowExampleKeys,
    ]
    static let sealedOnly = Option(flag: "--sealed-only", "prints the sealed field alone")
    static let example = """
        Example:
          sealedpush seal --lines --sender-key keys-example/sender.key \\
              --topic com.example.chat --allow-example-keys < lines.json > sealed.json

        A line in is {"message":{…},"recipients":[{"device":"d1","bundle":"…",
        "identity":"…"},…]}, or has "bundle" and "identity" itself, for one
        recipient. The message is that of 'seal --help', with its attachments.
        "bundle-file" and "identity-file" name files. Optional: "device" (it comes
        back), "lifetime-seconds", "too-long": "refuse", "receipt": true, and
        "message-id", "sent-at" and "expires-at" of a message to seal again. A line
        has up to 8 MiB and 1,000 recipients.

        A line out, for each recipient in its order, is {"line":1,"recipient":0,
        "device":"d1","class":"alert","message-id":"…","sent-at":…,"expires-at":…,
        "trace":"…","truncated":false,"sealed":"…"}, with "receipt-hash" if asked
        for, without "recipient" if the line has no list. Lines are written when
        the input pauses.

        What cannot be sealed is {"line":2,"error":{"code":"…","detail":"…"}}, and
        the next lines go on; the exit code is 1 in the end. Codes: a refusal of
        section 3 of docs/protocol.md (malformed, other-identity, rolled-back, …),
        no-such-class, identity, pins, file, json, field, line-too-long, message,
        too-long, lifetime, expired, failed.

        A bundle's pin is on the disk before its line is written, so a kill loses
        no pin of a line that came out. Processes may share a folder of pins.
        """

    private static let lineByteCountMax = 8 << 20
    private static let outputByteCountMax = 1 << 16

    private let arguments: Arguments
    private let topic: BundleID

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        try arguments.noOperands()
        topic = try arguments.topic()
    }

    func run() throws(CommandError) {
        let sender = try arguments.senderIdentity()
        var recipients = LineRecipients(topic: topic, pins: try arguments.pins())
        var lines = InputLines(byteCountMax: Self.lineByteCountMax)
        var output = LineOutput(sealedOnly: arguments.flag(Self.sealedOnly), byteCountMax: Self.outputByteCountMax)
        var number = 0
        let done = Guarded(0)
        // Results on a terminal suffice.
        let progress = isatty(STDOUT_FILENO) == 1 ? nil : ProgressLine { "sealed \(done.withLock { $0 }) lines" }
        defer { progress?.end() }
        while let line = try lines.next(pause: { () throws(CommandError) in try output.flush() }) {
            number += 1
            done.withLock { $0 = number }
            do throws(LineError) {
                guard case .whole(let bytes) = line else {
                    throw LineError(code: "line-too-long", detail: "a line has at most \(Self.lineByteCountMax) bytes")
                }
                let job = try SealLine(bytes, byteCountMax: Self.lineByteCountMax)
                try seal(job, from: sender, &recipients, number, &output)
            } catch {
                output.fail(error, number)
            }
            try output.flushIfFull()
        }
        try output.flush()
        guard output.failureCount == 0 else {
            let count = output.failureCount
            throw .failed("\(count) of \(output.count) were not sealed; each has a line with its \"error\"")
        }
    }

    /// - Throws: the line's errors; recipients' are written.
    private func seal(
        _ job: SealLine,
        from sender: borrowing SenderIdentity,
        _ recipients: inout LineRecipients,
        _ number: Int,
        _ output: inout LineOutput
    ) throws(LineError) {
        let shared = try Self.prepare(job, job.message)
        for (index, value) in job.recipients.enumerated() {
            let place = job.isList ? index : nil
            var device: String?
            do throws(LineError) {
                let named = try job.recipient(value)
                device = named.device
                let recipient = try recipients.recipient(named)
                var (prepared, receipt) = (shared, job.message.receipt)
                if job.asksForReceipt {
                    // One capability for two recipients could not tell them apart.
                    var message = job.message
                    message.receipt = .random()
                    receipt = message.receipt
                    prepared = try Self.prepare(job, message, as: shared)
                }
                let sealed = try Self.seal(prepared, for: recipient, from: sender)
                output.write(sealed, prepared, receipt, number, place, device)
            } catch {
                output.fail(error, number, place, device)
            }
        }
    }

    /// - Parameter first: for another recipient of this line; gives id and times.
    private static func prepare(
        _ job: SealLine,
        _ message: Message,
        as first: PreparedMessage? = nil
    ) throws(LineError) -> PreparedMessage {
        let again = first.map { SealLine.Again(messageID: $0.messageID, sentAt: $0.sentAt, expiresAt: $0.expiresAt) }
        do throws(SealingError) {
            guard let again = again ?? job.again else {
                return try PreparedMessage(message, sentAt: .now, lifetime: job.lifetime, overflow: job.overflow)
            }
            return try PreparedMessage(
                resending: message,
                messageID: again.messageID,
                sentAt: again.sentAt,
                expiresAt: again.expiresAt,
                overflow: job.overflow
            )
        } catch {
            throw LineError(error)
        }
    }

    private static func seal(
        _ prepared: PreparedMessage,
        for recipient: Recipient,
        from sender: borrowing SenderIdentity
    ) throws(LineError) -> SealedMessage {
        do throws(SealingError) {
            return try sender.seal(prepared, for: recipient)
        } catch {
            throw LineError(error)
        }
    }
}
