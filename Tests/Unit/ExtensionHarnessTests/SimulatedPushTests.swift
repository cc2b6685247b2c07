import Testing
import UserNotifications

@testable import ExtensionHarness

struct SimulatedPushTests {
    @Test func `an alert string is the body`() throws {
        let shown = try read(#"{"aps":{"alert":"Hello"}}"#)
        #expect(shown.body == "Hello" && shown.title.isEmpty && shown.subtitle.isEmpty)
    }

    @Test func `an alert dictionary has title, subtitle, body and launch image`() throws {
        let shown = try read(#"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"L"}}}"#)
        #expect(shown.title == "T" && shown.subtitle == "S" && shown.body == "B" && shown.launchImageName == "L")
    }

    @Test func `localized keys stand for text that is not given`() throws {
        let keys = try read(#"{"aps":{"alert":{"title-loc-key":"T","subtitle-loc-key":"S","loc-key":"B"}}}"#)
        #expect(keys.title == "T" && keys.subtitle == "S" && keys.body == "B")
        #expect(try read(#"{"aps":{"alert":{"loc-key":"B","body":"given"}}}"#).body == "given")
    }

    @Test func `a loc-key directly under aps is not read`() throws {
        #expect(try read(#"{"aps":{"loc-key":"B"}}"#).hasAlertText == false)
    }

    @Test func `the other keys of aps become the content's properties`() throws {
        let shown = try read(
            """
            {"aps":{"alert":"x","badge":7,"category":"C","thread-id":"t","target-content-id":"scene",
            "interruption-level":"time-sensitive","relevance-score":0.5,"filter-criteria":"work"}}
            """
        )
        #expect(shown.badge == 7 && shown.categoryIdentifier == "C" && shown.threadIdentifier == "t")
        #expect(shown.targetContentIdentifier == "scene" && shown.filterCriteria == "work")
        #expect(shown.interruptionLevel == .timeSensitive && shown.relevanceScore == 0.5)
    }

    @Test(arguments: [
        ("passive", ShownContent.InterruptionLevel.passive), ("active", .active), ("time-sensitive", .timeSensitive),
        ("critical", .critical), ("urgent", .active),
    ])
    func `interruption levels have Apple's names`(_ name: String, _ level: ShownContent.InterruptionLevel) throws {
        #expect(try read(#"{"aps":{"interruption-level":"\#(name)"}}"#).interruptionLevel == level)
    }

    @Test(arguments: [
        (#""default""#, sound()), (#""wakeEvent.caf""#, sound("wakeEvent.caf")), ("{}", sound()),
        (#"{"name":"wakeEvent.caf"}"#, sound("wakeEvent.caf")), (#"{"critical":1}"#, sound(isCritical: true)),
        (#"{"critical":1,"name":"default"}"#, sound(isCritical: true)),
        (#"{"critical":1,"volume":0.5}"#, sound(isCritical: true, volume: 0.5)),
        (#"{"critical":1,"name":"wakeEvent.caf"}"#, sound("wakeEvent.caf", isCritical: true)),
        (#"{"critical":1,"name":"wakeEvent.caf","volume":7}"#, sound("wakeEvent.caf", isCritical: true, volume: 1)),
        (#"{"critical":0,"volume":0.5}"#, sound()), ("7", nil), ("null", nil),
    ])
    func `a sound is a name, or a dictionary for critical alerts`(_ json: String, _ sound: ShownContent.Sound?) throws {
        #expect(try read(#"{"aps":{"sound":\#(json)}}"#).sound == sound)
    }

    @Test func `the user info is the whole payload`() throws {
        let shown = try read(#"{"aps":{"alert":"x"},"chat":"c1","nested":{"list":[1,2.5,true,null,"s"]}}"#)
        #expect(shown.userInfo["chat"] == .string("c1"))
        #expect(shown.userInfo["aps"] == .dictionary(["alert": .string("x")]))
        let list: UserInfoValue = .array([.integer(1), .double(2.5), .bool(true), .null, .string("s")])
        #expect(shown.userInfo["nested"] == .dictionary(["list": list]))
        #expect(shown.userInfo.count == 3)
    }

    @Test(arguments: [
        (#"{"aps":{"mutable-content":1}}"#, true), (#"{"aps":{"mutable-content":0}}"#, false),
        (#"{"aps":{"mutable-content":2}}"#, false), (#"{"aps":{"mutable-content":"1"}}"#, false),
        (#"{"aps":{"mutable-content":true}}"#, false), (#"{"aps":{}}"#, false),
        (#"{"aps":{},"mutable-content":1}"#, false),
    ])
    func `only the number 1 in aps is mutable-content`(_ json: String, _ isMutable: Bool) throws {
        #expect(try SimulatedPush(payload: json.utf8).isMutable == isMutable)
    }

    @Test(arguments: [
        #"{"aps":{"alert":7}}"#, #"{"aps":{"alert":null}}"#, #"{"aps":{"alert":["x"]}}"#,
        #"{"aps":{"alert":{"body":7}}}"#,
        #"{"aps":{"badge":"7","category":7,"thread-id":[],"relevance-score":"1","interruption-level":2}}"#,
    ])
    func `a value of the wrong type counts as absent`(_ json: String) throws {
        let shown = try read(json)
        #expect(!shown.hasAlertText && shown.badge == nil && shown.categoryIdentifier.isEmpty)
        #expect(shown.threadIdentifier.isEmpty && shown.relevanceScore == 0 && shown.interruptionLevel == .active)
    }

    @Test(arguments: [
        ("1e300", Int.max), ("-1e300", .min), ("9223372036854775807", .max), ("9223372036854775808", .max),
        ("18446744073709551615", .max), ("123456789012345678901234567890", .max), ("2.9", 2), ("-1", -1),
    ])
    func `a badge of any size is a number`(_ json: String, _ badge: Int) throws {
        #expect(try read(#"{"aps":{"badge":\#(json)}}"#).badge == badge)
    }

    @Test func `each push has a request identifier of its own, unless it is given`() throws {
        let payload = Array(#"{"aps":{}}"#.utf8)
        let identifiers = try [SimulatedPush(payload: payload), SimulatedPush(payload: payload)].map(\.identifier)
        #expect(identifiers[0] != identifiers[1])
        let request = try SimulatedPush(payload: payload, identifier: "collapse").makeRequest(AlertText())
        #expect(request.identifier == "collapse" && request.trigger is UNPushNotificationTrigger)
        #expect(!(request.content is UNMutableNotificationContent))
    }

    private func read(_ json: String) throws -> ShownContent {
        let push = try SimulatedPush(payload: json.utf8)
        return ShownContent(push.makeContent(push.alertText(AlertTranslation(appBundle: nil, languages: []))))
    }
}

private func sound(_ name: String? = nil, isCritical: Bool = false, volume: Float? = nil) -> ShownContent.Sound? {
    ShownContent.Sound(name: name, isCritical: isCritical, isRingtone: false, volume: volume)
}
