import Testing

@testable import ExtensionHarness

struct CapturedPushTests {
    @Test func `a payload is a notification`() throws {
        let push = try notification(#"{"aps":{"alert":"Hi","mutable-content":1},"n":1}"#)
        #expect(push.isMutable && push.userInfo["n"] == .integer(1))
    }

    @Test func `what tells Xcode's simulator the app is no part of the payload`() throws {
        let push = try notification(
            #"{ "Simulator Target Bundle": "com.example.chat", "aps": {"alert": "Hi"}, "price": 1.50, "big": 1e3 }"#
        )
        #expect(push.userInfo.keys.sorted() == ["aps", "big", "price"])
        #expect(push.userInfo["price"] == .double(1.5))
    }

    @Test func `white space counts in a captured payload, and not in a file for Xcode`() throws {
        let space = String(repeating: " ", count: 5_000)
        #expect(throws: CapturedPushError.self) { try notification(#"{"aps":{"alert":"Hi"}\#(space)}"#) }
        _ = try notification(#"{"Simulator Target Bundle":"a.b",\#(space)"aps":{"alert":"Hi"}}"#)
    }

    @Test(arguments: [
        ("", "1:1: the text ends"), ("{", "1:2: the text ends"), ("[]", "1:1: the payload is not an object"),
        ("{}", "1:1: the payload has no \"aps\" object"), (#"{"aps":1}"#, "1:8: the payload has no \"aps\" object"),
        ("{\n  \"aps\": {},\n  \"aps\": {}\n}", "3:3: this name appears twice"),
        (#"{"aps":{"alert":"Hi",}}"#, "1:22: expected a name in double quotes after the comma"),
        (#"{"aps":{},"n":1e999}"#, "1:8: a number in it is too large"),
        (#"{"aps":{"event":1}}"#, "1:17: \"event\" is not a string"),
        (#"{"aps":{"content-state":{}}}"#, "1:8: a Live Activity's push needs an \"event\""),
        (#"{"aps":{"event":"update","content-state":"x"}}"#, "1:42: \"content-state\" is not an object"),
        (#"{"aps":{"event":"end","timestamp":1.5}}"#, "1:35: \"timestamp\" is not seconds"),
    ])
    func `says what is wrong, and where`(_ text: String, _ complaint: String) throws {
        let error = try #require(throws: CapturedPushError.self) { try CapturedPush(file: text.utf8) }
        #expect(error.description.hasPrefix(complaint), "\(error)")
    }

    @Test func `a payload larger than a notification's is refused with its size`() throws {
        let error = try #require(throws: CapturedPushError.self) {
            try CapturedPush(file: #"{"aps":{},"s":"\#(String(repeating: "x", count: 5_000))"}"#.utf8)
        }
        #expect(error.reason.hasPrefix("5017 bytes, and a notification has 4096 at most"))
    }

    @Test func `no more of a file is read than its bound`() throws {
        let error = try #require(throws: CapturedPushError.self) {
            try CapturedPush(file: repeatElement(UInt8(ascii: " "), count: 1 << 20))
        }
        #expect(error.reason == "longer than 65536 bytes")
    }

    @Test func `a Live Activity's content keeps its order and its numbers`() throws {
        let text = #"""
            {"aps":{"timestamp":1795255200,"event":"update","stale-date":1795258800,
            "content-state":{"z":2.50,"a":[1,-0,{"n":null}],"big":1E+2,"e":{},"f":[]},
            "alert":{"title":"Goal","body":"1:0"}}}
            """#
        guard case .liveActivity(let update) = try CapturedPush(file: text.utf8) else {
            Issue.record("not a Live Activity")
            return
        }
        #expect(update.event == "update" && update.timestamp == 1_795_255_200 && update.staleDate == 1_795_258_800)
        #expect(update.dismissalDate == nil && update.attributesType == nil && update.attributesText == nil)
        #expect(
            update.contentStateText == """
                {
                  "z": 2.50,
                  "a": [
                    1,
                    -0,
                    {
                      "n": null
                    }
                  ],
                  "big": 1E+2,
                  "e": {},
                  "f": []
                }
                """
        )
        #expect(update.alertText == "{\n  \"title\": \"Goal\",\n  \"body\": \"1:0\"\n}")
    }

    private func notification(_ text: String) throws -> SimulatedPush {
        guard case .notification(let push) = try CapturedPush(file: text.utf8) else {
            throw NotANotification()
        }
        return push
    }

    private struct NotANotification: Error {}
}
