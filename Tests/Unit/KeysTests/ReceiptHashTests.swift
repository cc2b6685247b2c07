import Envelope
import Keys
import Testing

/// The hash that a sender gives the relay beside a message that requests a receipt.
struct ReceiptCapabilityHashTests {
    /// The value is Python's: hashlib.sha256(b"\x14SealedPush/1 receipt" + bytes(range(16))).
    @Test func `the hash is that of the relay's document, in base64url`() throws {
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(0..<16)))
        #expect(capability.receiptHash == "1jSouTJiZAEt3bDEy4d3oUBd9SAObm3c1biqGfhuLxI")
    }

    @Test func `a new capability is one that no other message has`() {
        let capabilities = (0..<100).map { _ in ReceiptCapability.random() }
        #expect(Set(capabilities).count == 100)
        #expect(Set(capabilities.map(\.receiptHash)).count == 100)
    }
}
