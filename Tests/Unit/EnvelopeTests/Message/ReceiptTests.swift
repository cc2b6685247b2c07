import Testing

@testable import Envelope

struct ReceiptTests {
    private static let text = "AAECAwQFBgcICQoLDA0ODw"

    private func receipt(_ value: String) throws(MessageError) -> ReceiptCapability? {
        try Message(sealedBody: Array(#"{"body":"b","receipt":\#(value)}"#.utf8)).receipt
    }

    @Test func `a receipt is 16 bytes, written as they are read`() throws {
        var message = Message(body: "b")
        message.receipt = try receipt("\"\(Self.text)\"")
        #expect(message.receipt?.rawRepresentation == Array(0..<16))
        let json = try message.encoded(byteCountMax: 100, overflow: .refuse).json
        #expect(String(decoding: json, as: UTF8.self) == #"{"body":"b","receipt":"\#(Self.text)"}"#)
    }

    @Test func `an empty receipt is none`() throws {
        #expect(try receipt("\"\"") == nil)
    }

    @Test(arguments: [
        "7", "null", "[]", "\"AAECAwQFBgcICQoLDA0O\"", "\"AAECAwQFBgcICQoLDA0ODxA\"", "\"AAECAwQFBgcICQoLDA0ODx\"",
        "\"AAECAwQFBgcICQoLDA0OD=\"", "\"++ECAwQFBgcICQoLDA0ODw\"", "\" AECAwQFBgcICQoLDA0ODw\"", "\"ééééééééééé\"",
    ])
    func `anything else is malformed`(_ value: String) {
        #expect(throws: MessageError.malformed) { try receipt(value) }
    }

    @Test func `a capability is of 16 bytes only, and no description shows it`() throws {
        #expect(ReceiptCapability(rawRepresentation: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(ReceiptCapability(rawRepresentation: [UInt8](repeating: 0, count: 17)) == nil)
        let capability = try #require(ReceiptCapability(text: Self.text))
        #expect(capability.text == Self.text)
        #expect("\(capability)" == "ReceiptCapability" && !String(reflecting: capability).contains("AAEC"))
    }
}
