import Testing

@testable import APNS

struct PushPayloadTests {
    private static func text(_ payload: PushPayload, _ pushType: PushType = .alert) throws -> String {
        String(decoding: try payload.bytes(for: pushType), as: UTF8.self)
    }

    private static func text(_ aps: APS, _ pushType: PushType = .alert) throws -> String {
        try text(PushPayload(aps), pushType)
    }

    @Test func `every member of a notification is spelled as Apple spells it`() throws {
        var aps = APS(
            alert: Alert(
                title: .localized(key: "T", arguments: ["a", "b"]),
                subtitle: .localized(key: "S"),
                body: .localized(key: "B", arguments: ["c"]),
                launchImage: "l.png",
                action: "View"
            ),
            badge: 0,
            sound: .critical(name: "s.caf", volume: 0.5),
            threadID: "t",
            category: "c",
            mutableContent: true
        )
        aps.contentAvailable = true
        aps.targetContentID = "w"
        aps.interruptionLevel = .timeSensitive
        aps.relevanceScore = 1
        aps.filterCriteria = "f"
        aps.urlArguments = ["u", "v"]
        let expected =
            #"{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["a","b"],"subtitle-loc-key":"S","loc-key":"B","#
            + #""loc-args":["c"],"launch-image":"l.png","action":"View"},"badge":0,"#
            + #""sound":{"critical":1,"name":"s.caf","volume":0.5},"thread-id":"t","category":"c","#
            + #""content-available":1,"mutable-content":1,"target-content-id":"w","#
            + #""interruption-level":"time-sensitive","relevance-score":1,"filter-criteria":"f","#
            + #""url-args":["u","v"]}}"#
        #expect(try Self.text(aps) == expected)
    }

    @Test func `an alert is a string or a dictionary, as it was made`() throws {
        #expect(try Self.text(APS(alert: Alert("hi"))) == #"{"aps":{"alert":"hi"}}"#)
        #expect(try Self.text(APS(alert: Alert(body: "hi"))) == #"{"aps":{"alert":{"body":"hi"}}}"#)
        var alert = Alert("hi")
        alert.title = "T"
        #expect(try Self.text(APS(alert: alert)) == #"{"aps":{"alert":{"title":"T","body":"hi"}}}"#)
        #expect(try Self.text(APS(alert: nil, sound: .default)) == #"{"aps":{"sound":"default"}}"#)
    }

    @Test func `what an app reads stands beside aps, in its order, and is escaped`() throws {
        let payload = PushPayload(
            APS(alert: Alert("\u{1}\"\\é")),
            custom: [
                "z": 1, "a": [true, nil, -2.5, "x"], "o": ["inner": ["deep": 1e300]], "n": PayloadValue(Int64.min),
            ]
        )
        #expect(
            try Self.text(payload) == #"{"aps":{"alert":"\u0001\"\\é"},"z":1,"a":[true,null,-2.5,"x"],"#
                + #""o":{"inner":{"deep":1e+300}},"n":-9223372036854775808}"#
        )
    }

    @Test func `the types without a notification have their own payloads`() throws {
        #expect(try Self.text(.background, .background) == #"{"aps":{"content-available":1}}"#)
        #expect(try Self.text(.contentChanged, .widgets) == #"{"aps":{"content-changed":true}}"#)
        #expect(try Self.text(.contentChanged, .controls) == #"{"aps":{"content-changed":true}}"#)
        #expect(try Self.text(.management(pushMagic: "M"), .mdm) == #"{"mdm":"M"}"#)
        #expect(try Self.text(.pass) == "{}")
        #expect(
            try Self.text(.fileProvider(containerIdentifier: "c", domain: "d"), .fileprovider)
                == #"{"container-identifier":"c","domain":"d"}"#
        )
        #expect(
            try Self.text(.fileProvider(containerIdentifier: "c"), .fileprovider) == #"{"container-identifier":"c"}"#
        )
        #expect(try Self.text(PushPayload(nil, custom: ["call": 1]), .voip) == #"{"call":1}"#)
    }

    @Test func `the size is checked for each type, and for broadcasts`() throws {
        func payload(_ byteCount: Int) -> PushPayload {
            PushPayload(nil, custom: ["x": PayloadValue(String(repeating: "a", count: byteCount - 8))])
        }
        #expect(try payload(5120).bytes(for: .voip).count == 5120)
        #expect(throws: PayloadError.tooLarge(byteCount: 5121, byteCountMax: 5120)) {
            try payload(5121).bytes(for: .voip)
        }
        #expect(throws: PayloadError.tooLarge(byteCount: 4097, byteCountMax: 4096)) {
            try payload(4097).bytes(for: .location)
        }
        var aps = LiveActivity.update(
            contentState: ["t": PayloadValue(String(repeating: "a", count: 5000))],
            timestamp: 1
        )
        #expect(try PushPayload(aps).bytesForBroadcast().count > 5000)
        #expect(throws: PayloadError.self) { try PushPayload(aps).bytes(for: .liveactivity) }
        aps.contentState = ["t": PayloadValue(String(repeating: "a", count: 5120))]
        #expect(throws: PayloadError.self) { try PushPayload(aps).bytesForBroadcast() }
    }

    @Test func `JSON of one's own goes out byte for byte, under the rules that can be seen in it`() throws {
        let json = Array(#" { "aps" : {"alert":{"x":1.50}}, "mine":[1e2] } "#.utf8)
        #expect(try PushPayload(json: json).bytes(for: .alert) == json)
        let silent = try PushPayload(json: Array(#"{"aps":{"content-available":1}}"#.utf8))
        #expect(try silent.bytes(for: .background).count == 31)
        #expect(throws: PayloadError.nothingToShow) { try silent.bytes(for: .alert) }
        let loud = try PushPayload(json: Array(#"{"aps":{"content-available":1,"badge":1}}"#.utf8))
        #expect(throws: PayloadError.outOfPlace(.badge, for: .background)) { try loud.bytes(for: .background) }
        #expect(try PushPayload(json: Array("{}".utf8)).bytes(for: .alert) == Array("{}".utf8))
    }

    @Test(arguments: [
        ("", PayloadError.notJSON(offset: 0)), ("{", .notJSON(offset: 1)), ("[]", .notJSONObject),
        ("1", .notJSONObject),
        (#"{"a":1,"a":2}"#, .notJSON(offset: 7)), ("{} x", .notJSON(offset: 3)),
        ("\u{FEFF}{}", .notJSON(offset: 0)),
        (String(repeating: " ", count: 5121), .tooLarge(byteCount: 5121, byteCountMax: 5120)),
    ])
    func `what is no JSON object is refused at once`(_ text: String, _ error: PayloadError) {
        #expect(throws: error) { try PushPayload(json: Array(text.utf8)) }
    }

    @Test func `a value is read from what an encoder made, and keeps its numbers' spelling`() throws {
        let state = try PayloadValue(json: Array(#"{"a":1.10,"b":[null,true],"c":{"d":"e"}}"#.utf8))
        let aps = LiveActivity.update(contentState: state, timestamp: 7)
        #expect(
            try Self.text(aps, .liveactivity) == #"{"aps":{"event":"update","timestamp":7,"#
                + #""content-state":{"a":1.10,"b":[null,true],"c":{"d":"e"}}}}"#
        )
    }
}
