public import Envelope
private import Primitives

// Receipts for senders and relays.
extension ReceiptCapability {
    private static var context: String { "SealedPush/1 receipt" }

    /// Random capability for one message and recipient.
    public static func random() -> ReceiptCapability {
        var random = SystemRandom()
        return ReceiptCapability(bytes: random.bytes(count: byteCount))
    }

    /// Value for the relay's `receipt-hash`: 43 base64url characters. It matches a receipt, but cannot make one.
    public var receiptHash: String { Base64URL.string(digest) }

    /// 32 bytes: SHA-256 over LP(context) ‖ capability (docs/service.md, "Receipts").
    package var digest: [UInt8] { SHA256.hash(Binding.context(Self.context), rawRepresentation) }
}
