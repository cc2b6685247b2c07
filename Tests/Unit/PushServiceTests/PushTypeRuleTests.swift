import APNS
import Envelope
import PushStore
import Testing

@testable import PushService

/// Apple's rules for the push types besides alerts and calls, each broken once.
struct PushTypeRuleTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        let rule: String
        let body: String
        let pointer: String
        let detail: String
        var allowsClearText = true

        var testDescription: String { rule }
    }

    private static func body(_ kind: String, _ more: String, _ recipient: String = "") -> String {
        Body.notification(#"{"device":"d1"\#(recipient)}"#, more, class: kind)
    }

    /// A Live Activity's body with these members in `aps`.
    private static func activity(_ aps: String, _ more: String = "", _ recipient: String = name) -> String {
        body("liveactivity", #","aps":{\#(aps)}\#(more)"#, recipient)
    }

    private static let name = #","token-name":"order-7""#
    private static let update = #""event":"update","timestamp":1795467938,"content-state":{"step":2}"#
    private static let start =
        #""event":"start","timestamp":1795467938,"content-state":{"step":1},"attributes-type":"Delivery","attributes":{}"#

    static let all: [Broken] = [
        Broken(
            rule: "a background push has no priority 10",
            body: body("silent", #","priority":10"#),
            pointer: "/priority",
            detail: "The priority of a background push is 5 or 1, not 10; APNs answers BadPriority."
        ),
        Broken(
            rule: "a Live Activity has no priority 1",
            body: activity(update, #","priority":1"#),
            pointer: "/priority",
            detail: "The priority of a liveactivity push is 10 or 5, not 1; APNs may answer BadPriority."
        ),
        Broken(
            rule: "a location query has no priority 1",
            body: body("location", #","priority":1"#),
            pointer: "/priority",
            detail: "The priority of a location push is 10 or 5, not 1; APNs may answer BadPriority."
        ),
        Broken(
            rule: "there are three priorities",
            body: body("widgets", #","priority":7"#),
            pointer: "/priority",
            detail: "10, 5 or 1; APNs answers others with BadPriority"
        ),
        Broken(
            rule: "the topic's suffix is the push type's",
            body: #"{"topic":"com.example.chat.push-type.liveactivity","class":"liveactivity","aps":{\#(update)},"#
                + #""recipients":[{"device":"d1"\#(name)}]}"#,
            pointer: "/topic",
            detail: "the service adds .push-type.liveactivity"
        ),
        Broken(
            rule: "a Live Activity's push has an event",
            body: activity(#""timestamp":1,"content-state":{}"#),
            pointer: "/aps",
            detail: "aps.event is missing in a liveactivity push."
        ),
        Broken(
            rule: "it has a time",
            body: activity(#""event":"update","content-state":{}"#),
            pointer: "/aps",
            detail: "aps.timestamp is missing in a liveactivity push."
        ),
        Broken(
            rule: "it has a content state",
            body: activity(#""event":"end","timestamp":1"#),
            pointer: "/recipients/0/sealed",
            detail: "aps.content-state is missing in a liveactivity push."
        ),
        Broken(
            rule: "the content state is an object",
            body: activity(#""event":"update","timestamp":1,"content-state":[1]"#),
            pointer: "/aps",
            detail: "aps.content-state is not an object."
        ),
        Broken(
            rule: "a start has the attributes' type",
            body: activity(#""event":"start","timestamp":1,"content-state":{},"attributes":{}"#, "", ""),
            pointer: "/aps",
            detail: "aps.attributes-type is missing in a liveactivity push."
        ),
        Broken(
            rule: "the attributes' type is not empty",
            body: activity(
                #""event":"start","timestamp":1,"content-state":{},"attributes-type":"","attributes":{}"#,
                "",
                ""
            ),
            pointer: "/aps",
            detail: "aps.attributes-type is empty."
        ),
        Broken(
            rule: "a start has attributes",
            body: activity(#""event":"start","timestamp":1,"content-state":{},"attributes-type":"Delivery""#, "", ""),
            pointer: "/aps",
            detail: "aps.attributes is missing in a liveactivity push."
        ),
        Broken(
            rule: "an update has no attributes",
            body: activity(update + #","attributes":{}"#),
            pointer: "/aps",
            detail: "aps.attributes has no place in this liveactivity push."
        ),
        Broken(
            rule: "only an end has a dismissal date",
            body: activity(update + #","dismissal-date":1795467999"#),
            pointer: "/aps",
            detail: "aps.dismissal-date has no place in this liveactivity push."
        ),
        Broken(
            rule: "times are seconds since 1970",
            body: activity(update + #","stale-date":-1"#),
            pointer: "/aps/stale-date",
            detail: "a whole number from 0"
        ),
        Broken(
            rule: "badges are an alert's",
            body: activity(update + #","badge":1"#),
            pointer: "/aps/badge",
            detail: "unknown field 'badge'"
        ),
        Broken(
            rule: "controls have no content",
            body: body("controls", "", #","sealed":"\#(Body.sealed)""#),
            pointer: "/recipients/0/sealed",
            detail: "only Apple's own members"
        ),
        Broken(
            rule: "widgets have no content",
            body: body("widgets", #","aps":{"content-changed":true}"#),
            pointer: "/aps",
            detail: "the service writes this class's 'aps'"
        ),
        Broken(
            rule: "a Live Activity's token is one activity's",
            body: activity(update, "", ""),
            pointer: "/recipients/0/token-name",
            detail: "missing; write"
        ),
        Broken(
            rule: "a start's token is its attributes'",
            body: activity(start),
            pointer: "/recipients/0/token-name",
            detail: "a start goes to the token that 'attributes-type' names"
        ),
        Broken(
            rule: "a content state is sealed or clear",
            body: activity(update, "", name + #","sealed":"\#(Body.sealed)""#),
            pointer: "/recipients/0/sealed",
            detail: "none beside 'content-state'"
        ),
        Broken(
            rule: "an alert's class has its own priority",
            body: body("normal", #","priority":5"#, #","sealed":"\#(Body.sealed)""#),
            pointer: "/priority",
            detail: "this class has 10"
        ),
    ]

    @Test(arguments: PushTypeRuleTests.all)
    func `each rule of Apple's is named where it is broken`(_ broken: Broken) throws {
        let problem = try #require(Body.problem(broken.body, allowsClearText: broken.allowsClearText))
        #expect(problem.kind == .invalidFields)
        let field = try #require(problem.fields.first { $0.pointer == broken.pointer }, "\(problem.fields)")
        #expect(field.detail.contains(broken.detail), "\(field.detail)")
    }

    @Test(arguments: ["content-state", "attributes"])
    func `what Apple and relay would read goes only where the tenant's setting allows it`(_ member: String) throws {
        // A name that is taken for clear text anywhere else.
        let body =
            member == "attributes"
            ? Self.activity(Self.start.replacing(#"ributes":{}"#, with: #"ributes":{"title":"canary"}"#), "", "")
            : Self.activity(Self.update.replacing(#"{"step":2}"#, with: #"{"title":"canary"}"#))
        #expect(Body.problem(body, allowsClearText: true) == nil)
        let problem = try #require(Body.problem(body))
        #expect(problem.kind == .plainText && problem.fields.contains { $0.pointer.hasPrefix("/aps/\(member)") })
        #expect(!String(decoding: problem.json, as: UTF8.self).contains("canary"))
        let plain = try #require(Body.problem(body.replacing("title", with: "step")))
        #expect(plain.kind == .plainText && plain.fields.map(\.pointer).contains("/aps/\(member)"))
    }

    @Test func `a receipt needs something sealed`() throws {
        let hash = String(repeating: "A", count: 43)
        let problem = try #require(Body.problem(Self.body("silent", "", #","receipt-hash":"\#(hash)""#)))
        #expect(problem.fields.map(\.pointer) == ["/recipients/0/receipt-hash"])
    }

    @Test func `a payload is Apple's, and what can be sealed is`() throws {
        let placeholder = try Placeholder(localizationKey: "SP_NEW")
        func payload(_ body: String, _ pushType: PushType) throws -> JSONValue {
            let read = try Body.read(body, allowsClearText: true)
            #expect(read.notificationClass.pushType == pushType)
            let bytes = try read.payload(for: read.recipients[0], placeholder: placeholder)
            // Apple's rules as the simulator has them are in EndToEndTests.
            #expect(try PushPayload(json: bytes).bytes(for: pushType) == bytes)
            let limits = JSONParser.Limits(byteCountMax: 5_120, depthMax: 8, allowsFractions: true)
            return try JSONParser.parse(bytes, limits: limits)
        }
        let trace = Trace(bytes: Array(1...16)).text
        let sealed = #","sealed":"\#(Body.sealed)","trace":"\#(trace)""#
        let silent = try payload(Self.body("silent", "", sealed), .background)
        #expect(silent["aps"]?["content-available"]?.content == .integer(1))
        #expect(silent["sealed"]?.string == Body.sealed && silent["trace"]?.string == trace)
        let wake = try payload(Self.body("silent", "", #","trace":"\#(trace)""#), .background)
        #expect(wake.members?.map(\.name) == ["aps", "trace"])
        let location = try payload(Self.body("location", "", sealed), .location)
        #expect(location["aps"]?.members?.isEmpty == true && location["sealed"]?.string == Body.sealed)
        for (kind, pushType) in [("widgets", PushType.widgets), ("controls", .controls)] {
            let value = try payload(Self.body(kind, ""), pushType)
            #expect(value.members?.map(\.name) == ["aps"])
            #expect(value["aps"]?["content-changed"]?.content == .bool(true))
        }
        let bare = #""event":"update","timestamp":7"#
        let activity = try payload(Self.activity(bare, "", Self.name + sealed), .liveactivity)
        #expect(activity["aps"]?["content-state"]?["sealed"]?.string == Body.sealed)
        #expect(activity["aps"]?["content-state"]?["trace"]?.string == trace)
        #expect(activity["aps"]?["alert"] == nil)
        let loud = try payload(Self.activity(bare, #","alerts":true"#, Self.name + sealed), .liveactivity)
        #expect(loud["aps"]?["alert"]?["body"]?["loc-key"]?.string == "SP_NEW")
        let start = try payload(Self.activity(Self.start + #","relevance-score":1.5"#, "", ""), .liveactivity)
        #expect(start["aps"]?["alert"] != nil && start["aps"]?["relevance-score"]?.content == .fraction("1.5"))
        #expect(start["aps"]?["content-state"]?["step"]?.content == .integer(1))
    }

    @Test func `each goes to the token of its purpose`() throws {
        func purpose(_ body: String) throws -> TokenPurpose? {
            try Body.read(body, allowsClearText: true).recipients[0].purpose
        }
        #expect(try purpose(Self.body("silent", "")) == nil && purpose(Body.notification()) == nil)
        #expect(try purpose(Self.body("widgets", "")) == TokenPurpose(.widgets))
        let lock = try purpose(Self.body("controls", "", #","token-name":"lock""#))
        #expect(lock == TokenPurpose(.controls, name: "lock"))
        #expect(try purpose(Self.body("location", "")) == TokenPurpose(.location))
        #expect(try purpose(Self.activity(Self.update)) == TokenPurpose(.liveActivity, name: "order-7"))
        #expect(try purpose(Self.activity(Self.start, "", "")) == TokenPurpose(.liveActivityStart, name: "Delivery"))
    }

    @Test func `a content state that is too large for Apple is refused with the room`() throws {
        let state = #"{"text":"\#(String(repeating: "a", count: 4_096))"}"#
        let body = Self.activity(#""event":"update","timestamp":7,"content-state":\#(state)"#)
        let read = try Body.read(body, allowsClearText: true)
        let placeholder = try Placeholder(localizationKey: "SP_NEW")
        let error = #expect(throws: PayloadError.self) {
            try read.payload(for: read.recipients[0], placeholder: placeholder)
        }
        #expect(error?.description.contains("the 4096 that Apple allows") == true)
    }
}
