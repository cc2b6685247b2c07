import Testing

@testable import APNS

struct PayloadRuleTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: PayloadError
        let change: @Sendable (inout APS) -> Void

        init(_ name: String, _ expected: PayloadError, _ change: @escaping @Sendable (inout APS) -> Void) {
            (testDescription, self.expected, self.change) = (name, expected, change)
        }
    }

    @Test(arguments: [
        Fault("nothing", .nothingToShow) { $0 = APS() },
        Fault("only the extension", .nothingToShow) {
            $0 = APS()
            $0.mutableContent = true
        },
        Fault("the extension without an alert", .missing(.alert, for: .alert)) {
            $0 = APS(alert: nil, badge: 1, mutableContent: true)
        },
        Fault("negative badge", .outOfRange(.badge)) { $0.badge = -1 },
        Fault("too loud", .outOfRange(.soundVolume)) { $0.sound = .critical(name: "a", volume: 1.01) },
        Fault("volume is no number", .outOfRange(.soundVolume)) { $0.sound = .critical(name: "a", volume: .nan) },
        Fault("sound without a name", .empty(.soundName)) { $0.sound = .named("") },
        Fault("score above 1", .outOfRange(.relevanceScore)) { $0.relevanceScore = 1.5 },
        Fault("score is no number", .outOfRange(.relevanceScore)) { $0.relevanceScore = .nan },
        Fault("empty alert", .empty(.alert)) { $0.alert = Alert() },
        Fault("empty key", .empty(.alertTitle)) { $0.alert = Alert(title: .localized(key: "")) },
        Fault("empty thread", .empty(.threadID)) { $0.threadID = "" },
        Fault("empty category", .empty(.category)) { $0.category = "" },
        Fault("no arguments", .empty(.urlArguments)) { $0.urlArguments = [] },
        Fault("a sound inside the alert", .outOfPlace(.alertSound, for: .alert)) {
            $0.alert = Alert(body: "x", sound: "s")
        },
        Fault("an event", .outOfPlace(.event, for: .alert)) { $0.event = .update },
        Fault("a state", .outOfPlace(.contentState, for: .alert)) { $0.contentState = [:] },
        Fault("a push token", .outOfPlace(.inputPushToken, for: .alert)) { $0.inputPushToken = true },
    ])
    func `one fault of an alert is told by the member's name`(_ fault: Fault) {
        var aps = APS(alert: Alert("hi"))
        fault.change(&aps)
        #expect(throws: fault.expected) { try PushPayload(aps).bytes(for: .alert) }
        #expect(!fault.expected.description.isEmpty)
    }

    @Test(arguments: [
        Fault("not woken", .missing(.contentAvailable, for: .background)) { $0.contentAvailable = false },
        Fault("an alert", .outOfPlace(.alert, for: .background)) { $0.alert = Alert("x") },
        Fault("a badge", .outOfPlace(.badge, for: .background)) { $0.badge = 0 },
        Fault("a sound", .outOfPlace(.sound, for: .background)) { $0.sound = .default },
        Fault("a timestamp", .outOfPlace(.timestamp, for: .background)) { $0.timestamp = 1 },
    ])
    func `one fault of a background push is told by the member's name`(_ fault: Fault) {
        var aps = APS.background
        fault.change(&aps)
        #expect(throws: fault.expected) { try PushPayload(aps).bytes(for: .background) }
    }

    @Test func `the types that need an aps, and what it must have`() {
        for type in [PushType.background, .controls, .liveactivity, .widgets] {
            #expect(throws: PayloadError.missing(.aps, for: type)) { try PushPayload(nil).bytes(for: type) }
        }
        #expect(throws: PayloadError.missing(.aps, for: .alert)) {
            try PushPayload(nil, custom: ["x": 1]).bytes(for: .alert)
        }
        #expect(throws: PayloadError.missing(.contentChanged, for: .widgets)) {
            try PushPayload(APS()).bytes(for: .widgets)
        }
        #expect(throws: PayloadError.missing(.mdm, for: .mdm)) { try PushPayload(nil).bytes(for: .mdm) }
    }

    @Test func `names beside aps are taken once`() {
        let alert = APS(alert: Alert("x"))
        #expect(throws: PayloadError.nameTaken) {
            try PushPayload(alert, custom: ["a": 1, "a": 2]).bytes(for: .alert)
        }
        #expect(throws: PayloadError.nameTaken) { try PushPayload(alert, custom: ["aps": 1]).bytes(for: .alert) }
        #expect(throws: PayloadError.empty(.custom)) { try PushPayload(alert, custom: ["": 1]).bytes(for: .alert) }
        #expect(throws: PayloadError.notWritable(.custom)) {
            try PushPayload(alert, custom: ["a": PayloadValue(.infinity)]).bytes(for: .alert)
        }
        // One letter to a reader, two names to JSON.
        #expect(throws: Never.self) {
            try PushPayload(alert, custom: ["\u{E9}": 1, "e\u{301}": 2]).bytes(for: .alert)
        }
    }
}
