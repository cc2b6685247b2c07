import APNS
import Envelope
import PushStore
import ServiceParts
import TestSupport
import Testing

@testable import PushService

struct SAPNotificationTests {
    private static let now: Int64 = 1_900_000_000

    private func read(_ properties: String, allowsClearText: Bool = true) throws -> SAPNotification {
        let json = #"{"topic":"com.example.chat","devices":["d1"],"notification":\#(properties)}"#
        let request = Body.request(json)
        let value = try RequestBody.json(request, byteCountMax: 100_000, allowsFractions: true)
        return try SAPNotification(
            request,
            value,
            allowsClearText: allowsClearText,
            isApp: { $0.text == "com.example.chat" },
            now: Self.now
        )
    }

    private func payload(_ properties: String) throws -> String {
        String(decoding: try read(properties).payload, as: UTF8.self)
    }

    private func problem(_ properties: String, allowsClearText: Bool = true) -> Problem? {
        do {
            _ = try read(properties, allowsClearText: allowsClearText)
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test(arguments: [
        (#"{"alert":"Hi"}"#, #"{"aps":{"alert":"Hi"}}"#),
        (
            #"{"alert":"Hi","badge":0,"sound":"default","data":"{\"a\":1}"}"#,
            #"{"aps":{"alert":"Hi","badge":0,"sound":"default"},"data":"{\"a\":1}"}"#
        ),
        (
            #"{"alert":"{\"alert_title\":\"T\",\"alert_sub-title\":\"S\",\"alert_body\":\"B\"}"}"#,
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"}}}"#
        ),
        (
            #"{"alert":"{\"title\":\"T\",\"summary-arg\":\"x\"}"}"#,
            #"{"aps":{"alert":{"title":"T","summary-arg":"x"}}}"#
        ),
        (#"{"alert":"{not json"}"#, #"{"aps":{"alert":"{not json"}}"#),
        (
            #"{"apns":{"alertTitle":"T","alertSubtitle":"S","alertBody":"B"}}"#,
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"}}}"#
        ),
        (#"{"alert":"B","apns":{"alertTitle":"T"}}"#, #"{"aps":{"alert":{"title":"T","body":"B"}}}"#),
        (
            #"{"apns":{"localizedAlertKey":"K","localizedAlertArguments":["a","b"]}}"#,
            #"{"aps":{"alert":{"loc-key":"K","loc-args":["a","b"]}}}"#
        ),
        (
            #"{"alert":"B","apns":{"localizedAlertTitleKey":"T","localizedAlertTitleArguments":["a"],"localizedAlertSubtitleKey":"S"}}"#,
            #"{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["a"],"subtitle-loc-key":"S","body":"B"}}}"#
        ),
        (
            #"{"alert":"B","apns.category":"C","threadId":"t","apns":{"mutableContent":true}}"#,
            #"{"aps":{"alert":"B","category":"C","mutable-content":1,"thread-id":"t"}}"#
        ),
        (
            #"{"alert":"B","apns":{"customSound":{"sound":"s.caf"}}}"#,
            #"{"aps":{"alert":"B","sound":{"critical":0,"name":"s.caf","volume":1.0}}}"#
        ),
        (
            #"{"alert":"B","apns":{"customSound":{"sound":"s.caf","volume":0.25,"critical":true}}}"#,
            #"{"aps":{"alert":"B","sound":{"critical":1,"name":"s.caf","volume":0.25}}}"#
        ),
        (
            #"{"alert":"B","apns":{"interruptionLevel":"time-sensitive","targetContentId":"w","relevanceScore":0.5}}"#,
            #"{"aps":{"alert":"B","interruption-level":"time-sensitive","target-content-id":"w","relevance-score":0.5}}"#
        ),
        (
            #"{"alert":"B","launchImageFileName":"l.png","actionButtonLabel":"Go","localizedActionButtonKey":"GO","urlArguments":["a"],"showActionButton":true}"#,
            #"{"aps":{"alert":{"launch-image":"l.png","action":"Go","action-loc-key":"GO","body":"B"},"url-args":["a"]}}"#
        ),
        (
            #"{"alert":"B","apns":{"customParameter":"{\"x\":{\"y\":1.5}}","customPriorities":"{\"z\":2}"}}"#,
            #"{"aps":{"alert":"B"},"x":{"y":1.5},"z":2}"#
        ),
        (
            #"{"apns":{"sound":"default","badge":3,"alert":"Hi"},"gcm":{"collapseKey":"k"},"wns":{"tile":{}}}"#,
            #"{"aps":{"alert":"Hi","badge":3,"sound":"default"}}"#
        ),
        (
            #"{"alert":"Hi","apns.sound":"default","fcm":{},"baidu":{},"w3c":{},"hms":{}}"#,
            #"{"aps":{"alert":"Hi","sound":"default"}}"#
        ),
    ])
    func `each property becomes Apple's`(_ example: (properties: String, payload: String)) throws {
        #expect(try payload(example.properties) == example.payload)
    }

    @Test func `custom parameters add and never override`() throws {
        let properties =
            #"{"alert":"B","data":"d","apns":{"customParameter":"{\"aps\":{\"alert\":\"X\"},\"data\":\"e\",\"new\":1}"}}"#
        let read = try read(properties)
        #expect(String(decoding: read.payload, as: UTF8.self) == #"{"aps":{"alert":"B"},"data":"d","new":1}"#)
        #expect(read.warnings == [.customTaken])
    }

    @Test func `a silent push is a background push at priority 5, and says what Apple does with many`() throws {
        let read = try read(#"{"priority":"high","data":"x","apns":{"contentAvailable":true}}"#)
        #expect(read.pushType == .background && read.priority == .powerAware)
        #expect(read.warnings == [.silentPriority, .silentRate])
        #expect(String(decoding: read.payload, as: UTF8.self) == #"{"aps":{"content-available":1},"data":"x"}"#)
        let loud = try self.read(#"{"alert":"B","apns":{"contentAvailable":true}}"#)
        #expect(loud.pushType == .alert && loud.priority == nil)
    }

    @Test func `priorities, expiry, push types and topics are headers`() throws {
        #expect(try read(#"{"alert":"B","priority":"high"}"#).priority == .immediate)
        #expect(try read(#"{"alert":"B","priority":"normal"}"#).priority == .powerAware)
        let expiry = try read(#"{"alert":"B","apns":{"expiry":"2031-05-04T12:00:00.250+02:00"}}"#)
        #expect(expiry.expiration == Expiration(unixSeconds: 1_935_655_200))
        for (word, suffix) in [
            ("VOIP", ".voip"), ("COMPLICATION", ".complication"), ("FILEPROVIDER", ".pushkit.fileprovider"),
        ] {
            let read = try read(#"{"data":"x","apns":{"pushType":"\#(word)","topic":"com.example.chat\#(suffix)"}}"#)
            #expect(read.topic.description == "com.example.chat" + suffix)
        }
        #expect(
            problem(#"{"alert":"B","apns":{"topic":"com.example.other"}}"#)?.fields.first?.pointer
                == "/notification/apns/topic"
        )
    }

    @Test func `a push for device management is refused here, and not accepted and never sent`() {
        let problem = problem(#"{"alert":"B","apns":{"pushType":"MDM"}}"#)
        #expect(problem?.kind == .invalidFields)
        #expect(problem?.fields.map(\.pointer) == ["/notification/apns/pushType"])
    }

    @Test(arguments: ["ALERT", "BACKGROUND", "VOIP", "COMPLICATION", "FILEPROVIDER"])
    func `what is taken is what the client for Apple would send`(_ word: String) throws {
        for priority in ["", #""priority":"normal","#, #""priority":"high","#] {
            let shown = word == "BACKGROUND" ? #""data":"x""# : #""alert":"B""#
            let apns = #"{"contentAvailable":true,"pushType":"\#(word)"}"#
            let read = try read("{\(priority)\(shown),\"apns\":\(apns)}")
            #expect(read.topic.fits(read.pushType) && read.pushType.expects(read.priority ?? .immediate))
        }
    }

    @Test func `a failure is tried three times behind all else`() throws {
        #expect(SAPNotification.attemptCountMax == 3)
        #expect(SAPNotification.retryLane == .background)
        #expect(try read(#"{"alert":"B","priority":"normal"}"#).firstLane == .background)
        #expect(try read(#"{"alert":"B"}"#).firstLane == .normal)
    }

    @Test func `words in clear need the tenant's setting`() {
        let problem = problem(#"{"alert":"canary"}"#, allowsClearText: false)
        #expect(problem?.kind == .plainText && problem?.detail.contains("allows-clear-text") == true)
        #expect(problem.map { !String(decoding: $0.json, as: UTF8.self).contains("canary") } == true)
    }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(arguments: [
        (#"{"alert":"\#(letters(2_048))"}"#, #"{"alert":"\#(letters(2_049))"}"#),
        (#"{"alert":"B","sound":"\#(letters(256))"}"#, #"{"alert":"B","sound":"\#(letters(257))"}"#),
        (
            #"{"alert":"B","apns":{"category":"\#(letters(128))"}}"#,
            #"{"alert":"B","apns":{"category":"\#(letters(129))"}}"#
        ),
        (#"{"apns":{"localizedAlertKey":"\#(letters(128))"}}"#, #"{"apns":{"localizedAlertKey":"\#(letters(129))"}}"#),
        (#"{"apns":{"alertTitle":"\#(letters(256))"}}"#, #"{"apns":{"alertTitle":"\#(letters(257))"}}"#),
        (#"{"apns":{"alertBody":"\#(letters(2_048))"}}"#, #"{"apns":{"alertBody":"\#(letters(2_049))"}}"#),
        (
            #"{"alert":"B","apns":{"alertSubtitle":"\#(letters(256))"}}"#,
            #"{"alert":"B","apns":{"alertSubtitle":"\#(letters(257))"}}"#
        ),
        (
            #"{"apns":{"localizedAlertTitleKey":"\#(letters(128))"}}"#,
            #"{"apns":{"localizedAlertTitleKey":"\#(letters(129))"}}"#
        ),
        (
            #"{"alert":"B","apns":{"localizedAlertSubtitleKey":"\#(letters(128))"}}"#,
            #"{"alert":"B","apns":{"localizedAlertSubtitleKey":"\#(letters(129))"}}"#
        ),
        (
            #"{"apns":{"localizedAlertKey":"K","localizedAlertArguments":["\#(letters(256))"]}}"#,
            #"{"apns":{"localizedAlertKey":"K","localizedAlertArguments":["\#(letters(257))"]}}"#
        ),
        (#"{"alert":"B","apns":{"relevanceScore":1}}"#, #"{"alert":"B","apns":{"relevanceScore":1.01}}"#),
        (#"{"alert":"B","badge":0}"#, #"{"alert":"B","badge":-1}"#),
        (
            #"{"alert":"B","apns":{"customSound":{"sound":"a","volume":0.0}}}"#,
            #"{"alert":"B","apns":{"customSound":{"sound":"a","volume":1.5}}}"#
        ),
        (
            #"{"alert":"B","apns":{"expiry":"2031-05-04T12:00:00Z"}}"#,
            #"{"alert":"B","apns":{"expiry":"2011-05-04T12:00:00Z"}}"#
        ),
    ])
    func `each limit holds to the last character`(_ example: (fits: String, doesNot: String)) {
        #expect(problem(example.fits) == nil)
        #expect(problem(example.doesNot)?.kind == .invalidFields)
    }

    @Test func `sixteen arguments fit, seventeen do not`() {
        func properties(_ count: Int) -> String {
            let list = Array(repeating: "\"a\"", count: count).joined(separator: ",")
            return #"{"apns":{"localizedAlertKey":"K","localizedAlertArguments":[\#(list)]}}"#
        }
        #expect(problem(properties(16)) == nil)
        #expect(problem(properties(17))?.kind == .invalidFields)
    }

    @Test(arguments: [
        #"{"alert":"A","apns":{"alertBody":"B"}}"#, #"{"alert":"A","sound":"s","apns":{"customSound":{"sound":"t"}}}"#,
        #"{"alert":"A","threadId":"a","apns":{"threadId":"b"}}"#,
        #"{"alert":"A","apns.category":"a","apns":{"category":"b"}}"#,
        #"{"alert":"A","apns":{"localizedAlertArguments":["a"]}}"#, #"{"alert":"A","apns":{"customParameter":"[1]"}}"#,
        #"{"alert":{"title":"x"}}"#, #"{"alert":"A","priority":"urgent"}"#,
        #"{"alert":"A","apns":{"pushType":"alert"}}"#,
        #"{"alert":"A","apns":{"colour":"red"}}"#, #"{"alert":"A","apns":7}"#, "{}", "[]", #"{"data":"only"}"#,
    ])
    func `what contradicts itself or shows nothing is refused`(_ properties: String) {
        #expect(problem(properties)?.kind == .invalidFields)
    }

    @Test func `an alert that is an object and no string is told how it is written`() {
        #expect(
            problem(#"{"alert":{"title":"x"}}"#)?.fields == [
                Problem.Field(
                    pointer: "/notification/alert",
                    detail: "expected a string of 1 to 2048 characters, or a JSON object written as one"
                )
            ]
        )
    }

    @Test func `a push that shows nothing is told what shows, and how a silent one is asked for`() {
        let said =
            "There is nothing to show: write 'alert', 'badge' or 'sound', or for a silent push 'contentAvailable' in 'apns'."
        #expect(problem(#"{"data":"only"}"#)?.detail == said)
        #expect(problem(#"{"data":"only","apns":{"contentAvailable":true}}"#) == nil)
    }

    @Test func `a payload that is too large says by how much`() {
        let problem = problem(#"{"alert":"B","data":"\#(Self.letters(4_100))"}"#)
        #expect(problem?.kind == .payloadTooLarge)
        #expect(problem?.byteCount == 4_131 && problem?.byteCountMax == 4_096)
    }

    @Test func `any properties are a push or a problem`() {
        var random = SeededRandom(seed: RunSeed.here())
        let names = SAPNames.top + SAPNames.apns + ["apns.category", "x", ""]
        let values = [
            "1", "-1", "0.5", "true", "null", "\"\"", "\"a\"", "\"{}\"", "\"{\\\"aps\\\":{}}\"", "[]", "[\"a\"]", "{}",
            "\"high\"", "\"VOIP\"",
            "{\"sound\":\"a\"}", "\"2031-05-04T12:00:00Z\"",
        ]
        for _ in 0..<2_000 {
            var members: Set<String> = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                members.insert(names.randomElement(using: &random) ?? "")
            }
            let inner = members.sorted().map { "\"\($0)\":\(values.randomElement(using: &random) ?? "1")" }.joined(
                separator: ","
            )
            for json in ["{\(inner)}", #"{"alert":"A","apns":{\#(inner)}}"#] {
                do {
                    _ = try PushPayload(json: read(json).payload)
                } catch {
                    #expect(error is Problem, "\(json)")
                }
            }
        }
    }
}

struct ISODateTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T00:00:00Z", 951_782_400),
        ("2031-05-04T12:00:00+02:00", 1_935_655_200),
        ("2031-05-04T12:00:00.123456789-0230", 1_935_671_400), ("1969-12-31T23:59:59Z", -1),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2016-12-31T23:59:60Z", 1_483_228_800),
    ])
    func `a time is read`(_ example: (text: String, seconds: Int64)) {
        #expect(ISODateTime.unixSeconds(example.text) == example.seconds)
    }

    @Test(arguments: [
        "", "2031-05-04", "2031-05-04T12:00:00", "2031-05-04 12:00:00Z", "2031-13-04T12:00:00Z", "2031-02-29T12:00:00Z",
        "2031-05-04T24:00:00Z", "2031-05-04T12:60:00Z", "2031-05-04T12:00:61Z", "2031-05-04T12:00:00.Z",
        "2031-05-04T12:00:00+2:00",
        "2031-05-04T12:00:00+24:00", "2031-05-04T12:00:00+02:0", "2031-05-04T12:00:00ZZ",
        "2031-05-04T12:00:00.1234567890Z",
        "+031-05-04T12:00:00Z", "2031-05-04T12:00:00+02:00:00", "2031-05-04T12:00:00+0:200",
        "\u{0662}031-05-04T12:00:00Z",
    ])
    func `what is no time is not read`(_ text: String) {
        #expect(ISODateTime.unixSeconds(text) == nil)
    }

    @Test func `a time is written as it is read`() {
        var random = SeededRandom(seed: RunSeed.here())
        for _ in 0..<5_000 {
            let milliseconds = Int64.random(in: 0...253_402_300_799_999, using: &random)
            #expect(ISODateTime.unixSeconds(ISODateTime.text(milliseconds: milliseconds)) == milliseconds / 1_000)
        }
        #expect(ISODateTime.text(milliseconds: 951_782_400_007) == "2000-02-29T00:00:00.007Z")
        #expect(ISODateTime.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
    }
}
