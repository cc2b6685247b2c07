public import Envelope
private import Primitives

// The sender's side of a receipt, and what a relay keeps of it.
extension ReceiptCapability {
    private static var context: String { "SealedPush/1 receipt" }

    /// A new one, from the system's random source: for one message and one recipient.
    public static func random() -> ReceiptCapability {
        var random = SystemRandom()
        return ReceiptCapability(bytes: random.bytes(count: byteCount))
    }

    /// What the relay gets beside the sealed message, as `receipt-hash`: 43 characters of base64url. It says which receipt
    /// belongs to the notification, and makes none.
    public var receiptHash: String { Base64URL.string(digest) }

    /// 32 bytes: SHA-256 over LP(context) ‖ capability (docs/service.md, "Receipts").
    package var digest: [UInt8] { SHA256.hash(Binding.context(Self.context), rawRepresentation) }
}
