import APNS
import Envelope
import Keys
import Opening
import Primitives
import Sealing
import ServiceParts
import TestSupport
import Testing

@testable import PushService

enum Body {
    static let sealed = sealedField(.alert)

    static func sealedField(_ pushClass: PushClass) -> String {
        let suite = Suite.x25519
        let envelope = Envelope(
            pushClass: pushClass,
            header: EnvelopeHeader(suite: suite, prekeyID: Array(1...8)),
            encapsulatedKey: Array(repeating: 7, count: suite.encapsulatedKeyByteCount),
            ciphertext: Array(repeating: 9, count: pushClass.frameByteCount(suite) + Envelope.tagByteCount)
        )
        return String(decoding: envelope.sealedField, as: UTF8.self)
    }

    static func sealedCall() throws -> SealedMessage {
        var message = Message()
        message.operation = .call("room 7")
        return try sealed(message)
    }

    static func sealed(_ message: Message) throws -> SealedMessage {
        var random = SeededRandom(seed: 7)
        let keys = DeviceKeys(topic: try BundleID("com.example.chat"), random: &random)
        let recipient = try Recipient(
            bundle: keys.bundle(now: .now),
            pinnedIdentity: keys.identity,
            topic: keys.topic,
            withoutPinsAt: .now
        )
        return try SenderIdentity().seal(message, for: recipient, sentAt: .now)
    }

    static func request(_ json: String, _ fields: [APIRequest.Field] = []) -> APIRequest {
        APIRequest(
            method: "POST",
            path: "/v1/notifications",
            fields: [.init("content-type", "application/json")] + fields,
            body: Array(json.utf8)
        )
    }

    static func notification(
        _ recipient: String = #"{"device":"d1","sealed":"\#(sealed)"}"#,
        _ more: String = "",
        class notificationClass: String = "normal"
    ) -> String {
        #"{"topic":"com.example.chat","class":"\#(notificationClass)"\#(more),"recipients":[\#(recipient)]}"#
    }

    static func read(
        _ json: String,
        _ fields: [APIRequest.Field] = [],
        allowsClearText: Bool = false
    ) throws(Problem) -> NotificationSubmission {
        let request = request(json, fields)
        let value = try RequestBody.json(request, byteCountMax: 1_000_000, allowsFractions: true)
        var random = SeededRandom(seed: 7)
        return try NotificationSubmission(
            request,
            value,
            app: { $0.text == "com.example.chat" ? 3_000 : nil },
            recipientCountMax: 5,
            allowsClearText: allowsClearText,
            random: &random
        )
    }

    static func problem(
        _ json: String,
        _ fields: [APIRequest.Field] = [],
        allowsClearText: Bool = false
    ) -> Problem? {
        refusal { () throws(Problem) in _ = try read(json, fields, allowsClearText: allowsClearText) }
    }
}

struct NotificationSubmissionTests {
    @Test func `a notification is read with all that it says`() throws {
        let hash = ReceiptHash(of: try #require(ReceiptCapability(rawRepresentation: Array(1...16))))
        let trace = Trace(bytes: Array(1...16))
        let recipients =
            #"{"device":"d1","sealed":"\#(Body.sealed)","trace":"\#(trace.text)","receipt-hash":"\#(hash.text)"},"#
            + #"{"device":"d2","sealed":"\#(Body.sealed)"}"#
        let json = Body.notification(recipients, #","expiry":3600,"collapse-id":"chat 7","idempotency-key":"k-1""#)
        let read = try Body.read(json, [.init("idempotency-key", "k-1")])
        #expect(read.bundleID.text == "com.example.chat")
        #expect(read.notificationClass == .normal)
        #expect(read.expirySeconds == 3_600)
        #expect(read.collapseWord == "chat 7")
        #expect(read.idempotencyKey == "k-1")
        #expect(read.recipients.map(\.device) == [.named("d1"), .named("d2")])
        #expect(read.recipients[0].trace == trace && read.recipients[0].receiptHash == hash)
        #expect(read.recipients[1].trace != trace && read.recipients[1].receiptHash == nil)
        #expect(read.digest == SHA256.hash(Array(json.utf8)))
    }

    @Test func `another body has another digest, so that one idempotency key has one (abuse case 87)`() throws {
        let one = try Body.read(Body.notification())
        let other = try Body.read(Body.notification() + " ")
        #expect(one.digest != other.digest)
        #expect(try Body.read(Body.notification()).digest == one.digest)
    }

    @Test(arguments: ["title", "body", "alert", "subtitle", "message", "text", "TITLE", "Body", "aLeRt"])
    func `words in clear are refused wherever they stand, and sealing is explained`(_ name: String) {
        let places = [
            Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","\#(name)":"canary"}"#),
            Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","\#(name)":"canary""#),
            Body.notification(#"{"device":"d1"}"#, #","a":{"b":[{"c":{"\#(name)":["canary"]}}]}"#),
        ]
        for json in places {
            let problem = Body.problem(json)
            #expect(problem?.kind == .plainText && problem?.kind.status == 422)
            #expect(problem?.fields.first?.pointer.hasSuffix("/" + name) == true)
            #expect(problem?.detail.contains("seal the text for each recipient") == true)
            #expect(problem.map { !String(decoding: $0.json, as: UTF8.self).contains("canary") } == true)
        }
    }

    @Test func `everything that is missing is named at once`() {
        #expect(Body.problem("{}")?.fields.map(\.pointer) == ["/topic", "/class", "/recipients"])
    }

    @Test func `a field that is too large says how much room there is`() {
        let long = Body.problem(Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)AAAA"}"#))
        #expect(long?.kind == .payloadTooLarge && long?.kind.status == 413)
        #expect(long?.byteCount == 3_844 && long?.byteCountMax == 3_840)
        let record = String(repeating: "A", count: 3_001)
        let webPush = Body.problem(Body.notification(#"{"device":"d1","webpush":"\#(record)"}"#))
        #expect(webPush?.byteCount == 3_001 && webPush?.byteCountMax == 3_000)
        #expect(Body.problem(Body.notification(#"{"device":"d1","webpush":"\#(record.dropLast())"}"#)) == nil)
    }

    @Test(arguments: [
        (Body.notification(#"{"device":"d1"}"#), "/recipients/0/sealed"),
        (Body.notification(#"{"sealed":"\#(Body.sealed)"}"#), "/recipients/0/device"),
        (Body.notification(#"{"device":"d/1","sealed":"\#(Body.sealed)"}"#), "/recipients/0/device"),
        (Body.notification(#"{"device":"d\u0001","sealed":"\#(Body.sealed)"}"#), "/recipients/0/device"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed.dropLast())="}"#), "/recipients/0/sealed"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed.dropLast())"}"#), "/recipients/0/sealed"),
        (Body.notification(#"{"device":"d1","sealed":"_\#(Body.sealed.dropFirst())"}"#), "/recipients/0/sealed"),
        (Body.notification(#"{"device":"d1","sealed":["\#(Body.sealed)"]}"#), "/recipients/0/sealed"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","webpush":"AA"}"#), "/recipients/0/webpush"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","trace":"short"}"#), "/recipients/0/trace"),
        (
            Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","receipt-hash":"x"}"#),
            "/recipients/0/receipt-hash"
        ),
        (Body.notification("1"), "/recipients/0"),
        (Body.notification(""), "/recipients"),
        (Body.notification(class: "loud"), "/class"),
        (Body.notification(class: "call"), "/recipients/0/sealed"),
        (
            Body.notification(
                #"{"device":"d1","sealed":"\#(Body.sealedField(.voip))"}"#,
                #","collapse-id":"a""#,
                class: "call"
            ), "/collapse-id"
        ),
        (
            Body.notification(
                #"{"device":"d1","sealed":"\#(Body.sealedField(.voip))"}"#,
                #","expiry":3600"#,
                class: "call"
            ), "/expiry"
        ),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","expiry":60"#), "/expiry"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","expires":60"#), "/expires"),
        (Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","collapse-id":"a\n""#), "/collapse-id"),
        (
            Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","idempotency-key":"\u00e9""#),
            "/idempotency-key"
        ),
        (
            Body.notification(
                #"{"device":"d1","sealed":"\#(Body.sealed)"},{"device":"d1","sealed":"\#(Body.sealed)"}"#
            ), "/recipients"
        ),
        (#"{"topic":"com.example.other","class":"normal","recipients":[]}"#, "/topic"),
        ("[]", ""),
    ])
    func `each field that is wrong is named`(_ example: (json: String, pointer: String)) {
        let problem = Body.problem(example.json)
        let isSize = problem?.kind == .payloadTooLarge
        #expect(problem?.kind == .invalidFields || isSize)
        #expect(problem?.fields.map(\.pointer).contains(example.pointer) == true, "\(problem?.fields ?? [])")
    }

    /// A payload holds the placeholder's words, which must not count as text in clear.
    @Test(arguments: [PushClass.alert, .voip], [false, true])
    func `a whole push.json in the place of its sealed value is called so, and what to send is said`(
        _ pushClass: PushClass,
        _ isText: Bool
    ) throws {
        let envelope = try Envelope(sealedField: Array(Body.sealedField(pushClass).utf8))
        let trace = Trace(bytes: Array(1...16))
        let placeholder = try Placeholder(title: "Acme Chat", body: "You have a new message")
        var payload = String(
            decoding: pushClass == .alert
                ? Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace)
                : Payload.voip(envelope: envelope, trace: trace),
            as: UTF8.self
        )
        if isText { payload = "\"\\n" + payload.replacing("\"", with: "\\\"") + "\"" }
        let notificationClass = pushClass == .alert ? "normal" : "call"
        let json = Body.notification(#"{"device":"d1","sealed":\#(payload)}"#, class: notificationClass)
        let problem = try #require(Body.problem(json))
        #expect(problem.kind == .invalidFields)
        #expect(problem.fields.map(\.pointer) == ["/recipients/0/sealed"])
        let expected = "this is a whole push payload; send only the value of its member 'sealed'"
        #expect(problem.fields[0].detail.hasPrefix(expected))
        // The value that the problem suggests is accepted.
        let recipient = #"{"device":"d1","sealed":"\#(Body.sealedField(pushClass))"}"#
        #expect(Body.problem(Body.notification(recipient, class: notificationClass)) == nil)
    }

    @Test func `a payload around words in clear does not hide others that stand beside it`() {
        let recipient = #"{"device":"d1","sealed":{"aps":{"alert":"a"}},"title":"canary"}"#
        #expect(Body.problem(Body.notification(recipient))?.kind == .plainText)
    }

    @Test func `two idempotency keys that differ are refused`() {
        let json = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","idempotency-key":"a""#)
        #expect(Body.problem(json, [.init("idempotency-key", "b")])?.fields.first?.pointer == "/idempotency-key")
        #expect(
            Body.problem(Body.notification(), [.init("idempotency-key", "a"), .init("idempotency-key", "a")]) != nil
        )
        #expect(Body.problem(json, [.init("idempotency-key", "a")]) == nil)
    }

    @Test func `strings of other languages go through as they are or not at all (abuse case 88)`() throws {
        for word in ["'; DROP TABLE x; --", "100%_", "\u{1F600}", "a\\b"] {
            let escaped = word.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: #"\\"#)
            let json = Body.notification(
                #"{"device":"d1","sealed":"\#(Body.sealed)"}"#,
                #","collapse-id":"\#(escaped)""#
            )
            #expect(try Body.read(json).collapseWord == word)
            #expect(Body.problem(Body.notification(#"{"device":"\#(escaped)","sealed":"\#(Body.sealed)"}"#)) != nil)
        }
        #expect(
            Body.problem(
                Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","collapse-id":"a\u0000""#)
            )?.kind == .notJSON
        )
    }

    @Test func `a compressed body is never unpacked (abuse case 15)`() {
        for coding in ["gzip", "deflate", "br", "identity, gzip"] {
            #expect(
                Body.problem(Body.notification(), [.init("content-encoding", coding)])?.kind == .unsupportedMediaType
            )
        }
        let zip = APIRequest(method: "POST", path: "/", fields: [.init("content-type", "application/zip")], body: [])
        let problem = refusal { () throws(Problem) in _ = try RequestBody.json(zip, byteCountMax: 10) }
        #expect(problem?.kind.status == 415)
    }

    @Test func `a long name, many names and a long string end at the body's bound (abuse case 13)`() {
        let name = #"{"\#(String(repeating: "a", count: 1_048_576))":1}"#
        #expect(Body.problem(name)?.kind == .bodyTooLarge)
        #expect(Body.problem(name)?.byteCountMax == 1_000_000)
        let names = "{" + (0..<50_000).map { #""a\#($0)":1"# }.joined(separator: ",") + "}"
        let problem = Body.problem(names)
        #expect(problem?.kind == .invalidFields && problem?.fields.count == FieldErrors.countMax)
        #expect(Body.problem(String(repeating: "[", count: 900_000))?.kind == .notJSON)
    }

    @Test func `any body is a notification or a problem`() {
        var random = SeededRandom(seed: RunSeed.here())
        let original = Array(Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","expiry":0"#).utf8)
        let pieces = ["{", "}", "[", "]", "\"", ":", ",", "null", "-1", "1e9", "\\u0000", "title", "\u{0}"].map {
            Array($0.utf8)
        }
        for _ in 0..<300 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 0...20, using: &random))
                bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            _ = Body.problem(String(decoding: bytes, as: UTF8.self))
        }
    }
}

struct SealedPayloadTests {
    @Test func `the payload is what the protocol says, byte for byte`() throws {
        let placeholder = try Placeholder(title: "Acme \"Chat\"", body: "New\nmessage")
        let trace = Trace(bytes: Array(1...16))
        for pushClass in PushClass.allCases {
            let text = Body.sealedField(pushClass)
            let envelope = try Envelope(sealedField: Array(text.utf8))
            let expected =
                pushClass == .alert
                ? Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace)
                : Payload.voip(envelope: envelope, trace: trace)
            let field = try SealedField(sealed: text, for: pushClass)
            #expect(
                SealedPayload.bytes(
                    field,
                    placeholder: placeholder,
                    trace: trace,
                    pushType: pushClass == .alert ? .alert : .voip
                ) == expected
            )
        }
    }

    @Test func `a record of RFC 8291 fills the payload to its last byte`() throws {
        let placeholder = try Placeholder(localizationKey: "SP_NEW")
        let room = SealedPayload.webPushRoom(placeholder: placeholder)
        let length = room % 4 == 1 ? room - 1 : room
        let field = try SealedField(webPush: String(repeating: "A", count: length), room: room)
        let bytes = SealedPayload.bytes(
            field,
            placeholder: placeholder,
            trace: Trace(bytes: Array(1...16)),
            pushType: .alert
        )
        #expect(bytes.count == 4_096 - (room - length))
        let report = try PayloadReport(payload: bytes)
        #expect(report.isMutable && report.otherNames == ["webpush"])
        #expect(throws: SealedFieldError.tooLarge(byteCount: room + 1, byteCountMax: room)) {
            try SealedField(webPush: String(repeating: "A", count: room + 1), room: room)
        }
    }
}

struct SmallBodyTests {
    private func value(_ json: String) throws -> JSONValue {
        try JSONParser.parse(
            Array(json.utf8),
            limits: .init(byteCountMax: 100_000, depthMax: 8, allowsFractions: false)
        )
    }

    @Test func `receipts are hashed at once, and a batch has its bound`() throws {
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(1...16)))
        let item = #"{"capability":"\#(capability.text)","code":"opened"}"#
        let batch = try ReceiptBatch(value(#"{"receipts":[\#(item)]}"#), countMax: 2)
        #expect(batch.items == [ReceiptBatch.Item(hash: ReceiptHash(of: capability), code: .opened)])
        for json in [
            #"{"receipts":[]}"#, #"{"receipts":[\#(item),\#(item),\#(item)]}"#,
            #"{"receipts":[{"capability":"x","code":"opened"}]}"#,
            #"{"receipts":[{"capability":"\#(capability.text)","code":"malformed"}]}"#, #"{"receipts":[{}]}"#, "[]",
            "{}",
            #"{"receipts":[{"capability":"\#(capability.text)","code":"opened","device":"d"}]}"#,
        ] {
            let parsed = try value(json)
            let problem = refusal { () throws(Problem) in _ = try ReceiptBatch(parsed, countMax: 2) }
            #expect(problem?.kind == .invalidFields, "\(json)")
            #expect(problem.map { !String(decoding: $0.json, as: UTF8.self).contains(capability.text) } == true)
        }
    }

    @Test func `resends go by trace`() throws {
        let trace = Trace(bytes: Array(1...16))
        let json =
            #"{"resends":[{"trace":"\#(trace.text)","prekey-id":"\#(Base64URL.string(Array(1...8)))"},{"trace":"\#(trace.text)"}]}"#
        let request = try ResendRequest(value(json))
        #expect(request.items.map(\.trace) == [trace, trace])
        #expect(request.items.map(\.prekeyID) == [Array(1...8), nil])
        for json in [
            #"{"resends":[{"trace":"x"}]}"#, #"{"resends":[1]}"#, "null", #"{"resends":[{"prekey-id":"AAAAAAAAAAA"}]}"#,
        ] {
            let parsed = try value(json)
            #expect(refusal { () throws(Problem) in _ = try ResendRequest(parsed) }?.kind == .invalidFields)
        }
    }

    @Test func `dead letters are replayed by id, each once`() throws {
        let id = APNSID(randomBytes: Array(1...16))
        #expect(try DeadLetterReplay(value(#"{"ids":["\#(id)"]}"#)).ids == [id])
        for json in [#"{"ids":["\#(id)","\#(id)"]}"#, #"{"ids":["x"]}"#, #"{"ids":[]}"#, #"{"ids":[7]}"#] {
            let parsed = try value(json)
            #expect(refusal { () throws(Problem) in _ = try DeadLetterReplay(parsed) }?.kind == .invalidFields)
        }
    }
}
