import Envelope
import Primitives
import TestSupport
import Testing

@testable import WebPush

struct WebPushOpenerTests {
    private let keys: WebPushKeys
    private let opener: WebPushOpener

    init() throws {
        keys = try OtherKeys.make()
        opener = WebPushOpener(keys: keys)
    }

    @Test func `the longest text that fits opens from its field`() throws {
        let record = try record(of: [UInt8](repeating: 0x61, count: 3_993))
        #expect(record.count == 4_096)
        let field = Base64URL.string(record)
        #expect(field.utf8.count == 5_462)
        #expect(try opener.open(field: field).body == String(repeating: "a", count: 3_993))
    }

    @Test func `a field with a character more than the longest record is refused before it is read`() {
        let field = String(repeating: "A", count: 5_463)
        #expect(throws: WebPushError.fieldTooLong(characterCountMax: 5_462)) { try opener.open(field: field) }
        // Not even the alphabet is checked.
        let other = String(repeating: "=", count: 1_000_000)
        #expect(throws: WebPushError.fieldTooLong(characterCountMax: 5_462)) { try opener.open(field: other) }
    }

    @Test(arguments: ["=", "==", "\n", " ", "+", "/", "é", "\0"])
    func `a field that is not canonical base64url is refused`(_ suffix: String) throws {
        let field = Base64URL.string(try record(of: Array("text".utf8)))
        #expect(try opener.open(field: field).body == "text")
        #expect(throws: WebPushError.notBase64URL) { try opener.open(field: field + suffix) }
        #expect(throws: WebPushError.notBase64URL) { try opener.open(field: suffix + field) }
    }

    @Test func `spare bits of a field are refused: one record has one spelling`() throws {
        // 107 bytes leave two characters with four spare bits.
        let record = try record(of: Array("text".utf8))
        #expect(record.count % 3 == 2)
        let field = Base64URL.string(record)
        let last = try #require(Base64URL.value(of: Array(field.utf8)[field.utf8.count - 1]))
        let other = String(field.dropLast()) + String(decoding: [Base64URL.character(for: last | 1)], as: UTF8.self)
        #expect(other != field)
        #expect(throws: WebPushError.notBase64URL) { try opener.open(field: other) }
    }

    @Test func `an empty field is refused`() {
        #expect(throws: WebPushError.record(.truncated)) { try opener.open(field: "") }
    }

    @Test func `a sealed envelope in this field is refused, and a record in the other one (rule 38)`() throws {
        let header = EnvelopeHeader(suite: .x25519, prekeyID: [UInt8](repeating: 7, count: 8))
        var random = SeededRandom(seed: 38)
        let byteCount = PushClass.alert.frameByteCount(.x25519) + Envelope.tagByteCount
        let envelope = Envelope(
            pushClass: .alert,
            header: header,
            encapsulatedKey: random.bytes(count: 32),
            ciphertext: random.bytes(count: byteCount)
        )
        let sealed = String(decoding: envelope.sealedField, as: UTF8.self)
        let error = try #require(throws: WebPushError.self) { try opener.open(field: sealed) }
        #expect(error != .notOpened, "it is seen to be no record before any key is used")
        // As long as an envelope.
        let record = try record(of: [UInt8](repeating: 0x61, count: 2_880 - 103))
        #expect(record.count == PushClass.alert.envelopeByteCount)
        #expect(throws: EnvelopeError.unsupportedVersion(record[0])) { try Envelope(bytes: record) }
    }

    @Test func `whoever knows the subscription can write a message, so it has a text and nothing else (rule 38)`()
        throws
    {
        let json = """
            {"title":"Hello","body":"there","op":"remove","target":"AAAAAAAAAAAAAAAAAAAAAA","badge":3,
            "user-info":{"url":"https://example.com"},"attachments":[{"id":"x"}],"sender":"Bank","crit":["op"]}
            """
        let message = try opener.open(field: Base64URL.string(try record(of: Array(json.utf8))))
        #expect(message == (try UnauthenticatedMessage(plaintext: Array(#"{"title":"Hello","body":"there"}"#.utf8))))
        #expect(
            Mirror(reflecting: message).children.compactMap(\.label).sorted() == [
                "activation", "body", "server", "title",
            ]
        )
    }

    @Test func `keys of one subscription open nothing of another, and two have nothing in common (rule 38)`() throws {
        let others = try OtherKeys.make(seed: 8_188)
        let field = Base64URL.string(try record(of: Array("text".utf8)))
        #expect(throws: WebPushError.notOpened) { try WebPushOpener(keys: others).open(field: field) }
        #expect(others.publicKey != keys.publicKey)
        let isSameSecret = others.withAuthenticationSecret { other in
            keys.withAuthenticationSecret { [UInt8](copying: $0) == [UInt8](copying: other) }
        }
        #expect(!isSameSecret)
    }

    @Test func `the replay key is 16 bytes of the hash of all but the record size (rule 38)`() throws {
        let record = try record(of: Array("text".utf8))
        let expected = SHA256.hash(Array(record[..<16] + record[20...]))[..<16]
        #expect(WebPushOpener.replayKey(ofRecord: record) == Array(expected))
        for index in record.indices {
            var changed = record
            changed[index] ^= 1
            let isSame = WebPushOpener.replayKey(ofRecord: changed) == WebPushOpener.replayKey(ofRecord: record)
            #expect(isSame == (16..<20).contains(index), "byte \(index)")
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 19, 20, 21, 5_000])
    func `bytes of any length have a replay key`(_ count: Int) {
        #expect(WebPushOpener.replayKey(ofRecord: [UInt8](repeating: 1, count: count)).count == 16)
    }

    @Test func `two messages of one text have two replay keys`() throws {
        let one = try record(of: Array("text".utf8), seed: 1)
        let other = try record(of: Array("text".utf8), seed: 2)
        #expect(WebPushOpener.replayKey(ofRecord: one) != WebPushOpener.replayKey(ofRecord: other))
    }

    @Test(arguments: [[], [0xFF], [0x61, 0], Array("{".utf8), Array(#"{"title":1}"#.utf8)] as [[UInt8]])
    func `an opened record without a text says so`(_ plaintext: [UInt8]) throws {
        let field = Base64URL.string(try record(of: plaintext))
        let error = try #require(throws: WebPushError.self) { try opener.open(field: field) }
        #expect(error == .text(plaintext.isEmpty ? .noText : .malformed))
    }

    private func record(of plaintext: [UInt8], seed: UInt64 = 1) throws -> [UInt8] {
        try TestSender(seed: seed).record(of: plaintext, to: keys)
    }
}
