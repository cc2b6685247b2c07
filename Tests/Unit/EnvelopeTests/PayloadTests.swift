import Foundation
import Testing

@testable import Envelope

struct PayloadTests {
    @Test func `an alert payload has exactly these bytes in this order`() throws {
        let envelope = Envelope.example()
        let payload = Payload.alert(
            placeholder: try Placeholder(title: "Acme Chat", body: "You have a new message"),
            envelope: envelope,
            trace: .example
        )
        let expected =
            #"{"aps":{"alert":{"title":"Acme Chat","body":"You have a new message"},"mutable-content":1},"sealed":""#
            + Base64URL.string(envelope.bytes) + #"","trace":"AAECAwQFBgcICQoLDA0ODw"}"#
        #expect(payload == Array(expected.utf8))
    }

    @Test func `a voip payload has exactly these bytes in this order`() {
        let envelope = Envelope.example(.voip)
        let expected =
            #"{"aps":{},"sealed":""# + Base64URL.string(envelope.bytes) + #"","trace":"AAECAwQFBgcICQoLDA0ODw"}"#
        #expect(Payload.voip(envelope: envelope, trace: .example) == Array(expected.utf8))
    }

    @Test func `lengths are those of the protocol page`() throws {
        let words = try Placeholder(title: "Acme Chat", body: "You have a new message")
        let key = try Placeholder(localizationKey: "SP_NEW")
        let envelope = Envelope.example()
        #expect(Payload.overheadByteCount == 83)
        #expect(Payload.overheadByteCount + PushClass.alert.sealedCharacterCount == 3_923)
        #expect(Payload.alert(placeholder: words, envelope: envelope, trace: .example).count == 3_976)
        #expect(Payload.alert(placeholder: key, envelope: envelope, trace: .example).count == 3_943)
        #expect(Payload.voip(envelope: .example(.voip), trace: .example).count == 4_919)
    }

    @Test func `the longest placeholder fills Apple's limit to the byte`() throws {
        let longest = try Placeholder(localizationKey: String(repeating: "a", count: 173 - 14))
        #expect(Payload.alert(placeholder: longest, envelope: .example(), trace: .example).count == 4_096)
        #expect(PushClass.alert.payloadByteCountMax == 4_096 && PushClass.voip.payloadByteCountMax == 5_120)
    }

    @Test func `the length is the same for every envelope and trace`() throws {
        let key = try Placeholder(localizationKey: "SP_NEW")
        let zeros = try Envelope(bytes: [1, 1] + [UInt8](repeating: 0, count: 2_878))
        let ones = try Envelope(bytes: [1, 1] + [UInt8](repeating: 0xFF, count: 2_878))
        let lengths = [zeros, ones, .example()].flatMap { envelope in
            [Trace.example, Trace(bytes: [UInt8](repeating: 0xFF, count: 16))].map { trace in
                Payload.alert(placeholder: key, envelope: envelope, trace: trace).count
            }
        }
        #expect(Set(lengths) == [3_943])
    }

    @Test func `Foundation reads what Apple would see, whatever the placeholder's characters`() throws {
        let placeholder = try Placeholder(title: "\"Acme\" \\ \u{1}😀", body: "a/b\nc\u{2028}</script>")
        let envelope = Envelope.example()
        let payload = Payload.alert(placeholder: placeholder, envelope: envelope, trace: .example)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        #expect(Set(object.keys) == ["aps", "sealed", "trace"])
        let aps = try #require(object["aps"] as? [String: Any])
        #expect(Set(aps.keys) == ["alert", "mutable-content"])
        #expect(aps["mutable-content"] as? Int == 1)
        let alert = try #require(aps["alert"] as? [String: String])
        #expect(alert == ["title": "\"Acme\" \\ \u{1}😀", "body": "a/b\nc\u{2028}</script>"])
        #expect(object["sealed"] as? String == Base64URL.string(envelope.bytes))
    }
}
