import Audit
import CommandLineTool
import Envelope
import Keys
import Primitives
import Sealing

/// Message full of canaries, sealed for one device.
struct AuditMessage {
    let name: String
    let sealed: SealedMessage
    let receiptHash: String
    let collapseWord: String

    var trace: String { sealed.trace.text }
    var envelopeCanary: String { "sealed bytes of the \(name) message" }

    /// - Parameters:
    ///   - name: such as "short".
    ///   - padding: characters after the body's canary.
    init(
        _ name: String,
        padding: Int,
        attachment: AttachmentPointer? = nil,
        from sender: borrowing SenderIdentity,
        to recipient: Recipient,
        _ set: inout CanarySet
    ) throws(CommandError) {
        let words = ["title", "subtitle", "text", "conversation"].map { ($0, Self.word()) }
        var message = Message(
            title: words[0].1,
            subtitle: words[1].1,
            body: words[2].1 + String(repeating: " and so on", count: padding / 10),
            threadID: words[3].1
        )
        if let attachment { message.attachments.append(attachment) }
        let receipt = ReceiptCapability.random()
        message.receipt = receipt
        do throws(SealingError) {
            sealed = try sender.seal(message, for: recipient, sentAt: .now)
        } catch {
            throw .failed(error.sentence)
        }
        self.name = name
        receiptHash = receipt.receiptHash
        collapseWord = Self.word()
        for (what, word) in words { try set.plant("\(what) of the \(name) message", .words, word.utf8) }
        try set.plant("receipt capability of the \(name) message", .capability, receipt.rawRepresentation)
        try set.plant("collapse id of the \(name) message", .collapseWord, collapseWord.utf8)
        try set.plant("trace of the \(name) message", .trace, sealed.trace.text.utf8)
        let bytes = Base64URL.decode(text: sealed.sealedField) ?? []
        // Behind the header, which all messages of a prekey share.
        try set.plant(envelopeCanary, .envelope, bytes[600..<664])
    }

    /// 20 random letters.
    static func word() -> String {
        var random = SystemRandom()
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        return String(decoding: random.bytes(count: 20).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Body for `POST /v1/notifications`.
    ///
    /// - Parameter hasReceipt: False for an app without receipts.
    func submission(to device: String, topic: String, hasReceipt: Bool = true) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("topic", topic)
            writer.member("class", "normal")
            writer.member("collapse-id", collapseWord)
            writer.name("recipients")
            writer.array { writer in
                writer.object { writer in
                    writer.member("device", device)
                    writer.member("sealed", sealed.sealedField)
                    writer.member("trace", trace)
                    if hasReceipt { writer.member("receipt-hash", receiptHash) }
                }
            }
        }
        return writer.bytes
    }
}

extension CanarySet {
    mutating func plant(_ name: String, _ asset: Asset, _ value: some Sequence<UInt8>) throws(CommandError) {
        do throws(AuditError) { try add(name, asset, value) } catch { throw .failed(error.sentence) }
    }
}
