import Testing

@testable import Envelope

struct OperationTests {
    private static let target = "AAECAwQFBgcICQoLDA0ODw"

    private func read(_ body: String) -> Result<Message, MessageError> {
        Result { () throws(MessageError) in try Message(sealedBody: Array(body.utf8)) }
    }

    private func isMalformed(_ body: String) -> Bool { read(body) == .failure(.malformed) }

    private func id() throws -> MessageID { try #require(MessageID(text: Self.target)) }

    @Test func `each operation is read with what belongs to it`() throws {
        let id = try id()
        let bodies: [(String, Message.Operation)] = [
            (#"{"body":"b"}"#, .show), (#"{"op":"show","body":"b"}"#, .show), (#"{"op":"","body":"b"}"#, .show),
            (#"{"op":"replace","target":"\#(Self.target)","title":"t"}"#, .replace(id)),
            (#"{"op":"remove","target":"\#(Self.target)"}"#, .remove(id)), (#"{"op":"badge","badge":0}"#, .badge),
            (#"{"op":"call","call":"room 7"}"#, .call("room 7")), (#"{"op":"test"}"#, .test),
        ]
        for (body, operation) in bodies { #expect(try read(body).get().operation == operation) }
    }

    @Test(arguments: [
        #"{"op":"replace","body":"b"}"#, #"{"op":"remove"}"#, #"{"op":"remove","target":""}"#, #"{"op":"badge"}"#,
        #"{"op":"call"}"#, #"{"op":"call","call":""}"#, #"{"op":"call","call":7}"#,
    ])
    func `an operation without what belongs to it is malformed`(_ body: String) { #expect(isMalformed(body)) }

    @Test(arguments: ["show", "badge", "call", "test"])
    func `a target is malformed beside an operation that has none`(_ name: String) {
        #expect(
            isMalformed(#"{"op":"\#(name)","body":"b","badge":1,"call":"c","target":"\#(Self.target)"}"#)
        )
    }

    @Test(arguments: ["show", "replace", "remove", "badge", "test"])
    func `an opaque call is malformed beside another operation`(_ name: String) {
        let target = name == "replace" || name == "remove" ? #","target":"\#(Self.target)""# : ""
        #expect(isMalformed(#"{"op":"\#(name)","body":"b","badge":1,"call":"c"\#(target)}"#))
    }

    @Test(arguments: [
        "AAECAwQFBgcICQoLDA0ODx", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODw=", "AAECAwQFBgcICQoLDA0O/w",
    ])
    func `a target is the canonical base64url of 16 bytes`(_ text: String) {
        #expect(isMalformed(#"{"op":"remove","target":"\#(text)"}"#))
    }

    @Test(arguments: [#"{"op":"replace","target":"AAECAwQFBgcICQoLDA0ODw"}"#, #"{"op":"show","subtitle":"s"}"#])
    func `what is shown needs text`(_ body: String) { #expect(isMalformed(body)) }

    @Test func `a key of the app's own tables is text`() throws {
        let message = try read(#"{"loc-key":"NEW","loc-args":["Ada"]}"#).get()
        #expect(message.localizedBody == LocalizedText(key: "NEW", arguments: ["Ada"]))
    }

    @Test(arguments: ["-1", "10000", "\"1\"", "true", "null", "1.0", "[1]"])
    func `the badge is an integer from 0 to 9,999 (protocol v1, rule 29)`(_ value: String) {
        #expect(isMalformed(#"{"body":"b","badge":\#(value)}"#))
    }

    @Test(arguments: [
        #""sound-volume":"0.5""#, #""loc-args":["a"]"#, #""title-loc-args":["a"]"#, #""subtitle-loc-args":["a"]"#,
    ])
    func `a member that qualifies another is malformed without it`(_ member: String) {
        #expect(isMalformed(#"{"body":"b",\#(member)}"#))
    }

    @Test(arguments: [
        ("0", 0), ("1", 10_000), ("0.5", 5_000), ("0.5000", 5_000), ("0.0001", 1), ("1.0", 10_000), ("1.0000", 10_000),
    ])
    func `a relevance score is a decimal string`(_ text: String, _ value: Int) throws {
        #expect(try read(#"{"body":"b","relevance-score":"\#(text)"}"#).get().relevanceScore?.tenThousandths == value)
    }

    @Test(arguments: [
        "2", "1.0001", "0.", ".5", "0.12345", "00", "-0", "0,5", "0.5 ", "+1", "1e0", "0.x", "0.-1", "٠",
    ])
    func `what is no such decimal is malformed`(_ text: String) {
        #expect(isMalformed(#"{"body":"b","relevance-score":"\#(text)"}"#))
        #expect(isMalformed(#"{"body":"b","sound":"s","sound-volume":"\#(text)"}"#))
    }

    @Test func `user info holds strings, integers and booleans`() throws {
        let message = try read(#"{"body":"b","user-info":{"a":"x","b":-7,"c":true}}"#).get()
        #expect(message.userInfo == ["a": .string("x"), "b": .integer(-7), "c": .bool(true)])
    }

    @Test(arguments: [#"{"a":null}"#, #"{"a":[]}"#, #"{"a":{}}"#, "[]", "1", #"{"":1}"#, #"{"a b":1}"#, #"{"é":1}"#])
    func `user info of another kind is malformed`(_ value: String) {
        #expect(isMalformed(#"{"body":"b","user-info":\#(value)}"#))
    }

    @Test(arguments: [(16, true), (17, false)])
    func `user info has at most 16 names`(_ count: Int, _ isRead: Bool) {
        let members = (0..<count).map { #""n\#($0)":1"# }.joined(separator: ",")
        #expect(isMalformed(#"{"body":"b","user-info":{\#(members)}}"#) != isRead)
    }

    @Test func `a level of the future counts as none`() throws {
        #expect(try read(#"{"body":"b","level":"urgent"}"#).get().level == nil)
    }

    @Test func `every member comes back as it was written`() throws {
        var message = Message(title: "t", subtitle: "s", body: "b", threadID: "i")
        message.operation = .replace(try id())
        message.localizedTitle = LocalizedText(key: "T", arguments: ["1", "2"])
        message.localizedSubtitle = LocalizedText(key: "S")
        message.localizedBody = LocalizedText(key: "B")
        message.category = "c"
        message.sound = Message.Sound(name: "default", volume: UnitDecimal(tenThousandths: 2_500))
        message.level = .timeSensitive
        message.relevanceScore = UnitDecimal(tenThousandths: 10)
        message.badge = 3
        message.targetContentID = "x"
        message.senderName = "Ada"
        message.userInfo = ["z": .bool(false), "a": .integer(.min), "m": .string("é")]
        message.criticalNames = ["sound"]
        let json = try message.encoded(byteCountMax: 2_690, overflow: .refuse).json
        #expect(try Message(sealedBody: json) == message)
    }

    @Test func `what a reader would refuse is not written`() {
        var messages = [Message](repeating: Message(body: "b"), count: 6)
        messages[0].badge = 10_000
        messages[1].operation = .call("")
        messages[2].localizedTitle = LocalizedText(key: "")
        messages[3].userInfo = ["a b": .bool(true)]
        messages[4].criticalNames = ["poll"]
        messages[5].operation = .badge
        for (message, name) in zip(messages, ["badge", "call", "loc-key", "user-info", "crit", "badge"]) {
            #expect(throws: MessageError.invalid(member: name)) {
                try message.encoded(byteCountMax: 2_690, overflow: .refuse)
            }
        }
    }

    @Test(arguments: [
        "op", "target", "call", "crit", "loc-key", "category", "sound", "level", "sender", "target-content-id",
    ])
    func `a text member of the wrong type is malformed (abuse case 12)`(_ name: String) {
        for value in ["null", "7", "true", "{}", "[7]"] {
            #expect(isMalformed(#"{"body":"b","\#(name)":\#(value)}"#), "\(name) \(value)")
        }
    }
}
