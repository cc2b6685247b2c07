import Testing

@testable import WebPush

/// A record's content, as a text to show.
struct UnauthenticatedMessageTests {
    @Test func `a declarative message shows its notification's texts, and only the number 8030 makes one`() throws {
        let parts = [#""web_push":8030"#, #""web_push":"8030""#, #""web_push":8031"#, #""web_push":8030.0"#]
        let shown = try parts.map { part in
            let json = #"{\#(part),"title":"outer","notification":{"title":"inner","body":"b","silent":true}}"#
            return try UnauthenticatedMessage(plaintext: Array(json.utf8)).title
        }
        #expect(shown == ["inner", "outer", "outer", "outer"])
        for json in [#"{"web_push":8030,"title":"t"}"#, #"{"web_push":8030,"notification":"t"}"#] {
            #expect(throws: UnauthenticatedMessageError.malformed) {
                try UnauthenticatedMessage(plaintext: Array(json.utf8))
            }
        }
    }

    @Test(arguments: ["x", "Hello", "line\nline", "Grüße 🕘", "[1]", "\"quoted\"", " {\"title\":\"t\"}", "}", "\t"])
    func `a plain text is the body, as it is (rule 38)`(_ text: String) throws {
        let message = try UnauthenticatedMessage(plaintext: Array(text.utf8))
        #expect(message.title == "")
        #expect(message.body == text)
    }

    @Test(
        arguments: [
            (#"{"title":"t","body":"b"}"#, "t", "b"), (#"{"title":"t"}"#, "t", ""), (#"{"body":"b"}"#, "", "b"),
            (#"{"body":"b","title":""}"#, "", "b"), (#"{ "title" : "\u00e9\n" }"#, "é\n", ""),
            (#"{"title":"t","icon":"https://x","n":1.5e3,"m":[{"title":"other"}],"x":null} "#, "t", ""),
        ]
    )
    func `of an object, title and body count and all else is passed over (rule 38)`(
        _ json: String,
        title: String,
        body: String
    ) throws {
        let message = try UnauthenticatedMessage(plaintext: Array(json.utf8))
        #expect(message.title == title)
        #expect(message.body == body)
    }

    /// The shape that Mastodon's servers send.
    @Test func `a notification of a Mastodon server is its title and body`() throws {
        let json = """
            {"access_token":"token","preferred_locale":"en","notification_id":12345,"notification_type":"mention",\
            "icon":"https://social.example/avatar.png","title":"You were mentioned by Ann","body":"Hello @you"}
            """
        let message = try UnauthenticatedMessage(plaintext: Array(json.utf8))
        #expect(message.title == "You were mentioned by Ann")
        #expect(message.body == "Hello @you")
    }

    /// The example of MSC4174, which a server sends before any notification.
    @Test func `a Matrix server's request to activate a pusher reaches the app, and nothing like it does`() throws {
        func activation(_ json: String) -> PusherActivation? {
            (try? UnauthenticatedMessage(plaintext: Array(json.utf8)))?.activation
        }
        let token = "6fc76b70-5fad-4eb7-93ea-a1af7a03258b"
        let found = activation(#"{"app_id":"im.vector.app.android","ack_token":"\#(token)"}"#)
        #expect(found?.appID == "im.vector.app.android" && found?.token == token)
        let long = String(repeating: "a", count: 256)
        for json in [
            #"{"ack_token":"\#(token)"}"#, #"{"app_id":"a"}"#, #"{"app_id":"a","ack_token":""}"#,
            #"{"app_id":"a","ack_token":1}"#, #"{"app_id":"a","ack_token":"a b"}"#,
            #"{"app_id":"a","ack_token":"\#(long)"}"#,
            #"{"app_id":"ä","ack_token":"a"}"#, #"{"app_id":"a","ack_token":"a","title":"t"}"#,
            #"{"web_push":8030,"notification":{},"app_id":"a","ack_token":"a"}"#,
        ] {
            #expect(activation(json) == nil, "\(json)")
        }
    }

    @Test(
        arguments: [
            "{", "{hello", "{}x", #"{"title":"t",}"#, #"{"title":"t","title":"u"}"#, #"{"title":1}"#,
            #"{"title":null}"#,
            #"{"title":["t"]}"#, #"{"title":"t","body":false}"#, #"{"title":"t\u0000"}"#, #"{"title":"\ud800"}"#,
            #"{"title":"t","x":NaN}"#, "{\"title\":\"t\nt\"}", #"{'title':'t'}"#,
        ]
    )
    func `what begins as an object and is none is refused, never shown as text (rule 38)`(_ json: String) {
        #expect(throws: UnauthenticatedMessageError.malformed) {
            try UnauthenticatedMessage(plaintext: Array(json.utf8))
        }
    }

    @Test func `an object deeper than eight is refused, and one of eight is not`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let open = String(repeating: "[", count: depth - 1)
            let close = String(repeating: "]", count: depth - 1)
            return Array(#"{"title":"t","x":\#(open)\#(close)}"#.utf8)
        }
        #expect(try UnauthenticatedMessage(plaintext: nested(8)).title == "t")
        #expect(throws: UnauthenticatedMessageError.malformed) { try UnauthenticatedMessage(plaintext: nested(9)) }
    }

    @Test(arguments: ["", "{}", #"{"title":""}"#, #"{"title":"","body":""}"#, #"{"other":"text"}"#, #"{"Title":"t"}"#])
    func `nothing to show is an error of its own`(_ text: String) {
        #expect(throws: UnauthenticatedMessageError.noText) { try UnauthenticatedMessage(plaintext: Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0], [0x61, 0, 0x62], [0xEF, 0xBB, 0xBF], [0xEF, 0xBB, 0xBF, 0x61], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0x80],
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xE2, 0x82], [0xFE, 0xFF, 0, 0x61],
            [0x7B, 0xFF, 0x7D],
        ] as [[UInt8]]
    )
    func `NUL, byte order marks and what is not UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(throws: UnauthenticatedMessageError.malformed) { try UnauthenticatedMessage(plaintext: bytes) }
    }
}
