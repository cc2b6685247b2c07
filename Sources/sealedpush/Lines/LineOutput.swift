import CommandLineTool
import Envelope
import Keys
import Sealing

/// Written together.
struct LineOutput {
    private let sealedOnly: Bool
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private(set) var failureCount = 0

    init(sealedOnly: Bool, byteCountMax: Int) {
        self.sealedOnly = sealedOnly
        self.byteCountMax = byteCountMax
    }

    /// - Parameters:
    ///   - number: input line's, from 1.
    ///   - place: recipient's in its list, from 0; nil without a list.
    mutating func write(
        _ sealed: SealedMessage,
        _ prepared: PreparedMessage,
        _ receipt: ReceiptCapability?,
        _ number: Int,
        _ place: Int?,
        _ device: String?
    ) {
        guard !sealedOnly else { return end(sealed.envelope.sealedField) }
        line(number, place, device) { writer in
            writer.member("class", sealed.isCall ? "call" : "alert")
            writer.member("message-id", sealed.messageID.text)
            writer.member("sent-at", prepared.sentAt.milliseconds)
            writer.member("expires-at", prepared.expiresAt.milliseconds)
            writer.member("trace", sealed.trace.text)
            writer.member("truncated", sealed.isTruncated)
            if let receipt { writer.member("receipt-hash", receipt.receiptHash) }
            writer.member("sealed", writing: { $0 += sealed.envelope.sealedField })
        }
    }

    mutating func fail(_ error: LineError, _ number: Int, _ place: Int? = nil, _ device: String? = nil) {
        failureCount += 1
        line(number, place, device) { writer in
            writer.name("error")
            error.write(to: &writer)
        }
    }

    mutating func flush() throws(CommandError) {
        guard !bytes.isEmpty else { return }
        try Output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func flushIfFull() throws(CommandError) { if bytes.count >= byteCountMax { try flush() } }

    private mutating func line(
        _ number: Int,
        _ place: Int?,
        _ device: String?,
        _ members: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter(reserving: 5_200)
        writer.object { writer in
            writer.member("line", number)
            if let place { writer.member("recipient", place) }
            if let device { writer.member("device", device) }
            members(&writer)
        }
        end(writer.bytes)
    }

    private mutating func end(_ line: [UInt8]) {
        count += 1
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
    }
}
