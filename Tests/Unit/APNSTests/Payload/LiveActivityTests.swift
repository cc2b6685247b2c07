import Testing

@testable import APNS

struct LiveActivityTests {
    private static func text(_ aps: APS) throws -> String {
        String(decoding: try PushPayload(aps).bytes(for: .liveactivity), as: UTF8.self)
    }

    private static func start(_ input: LiveActivity.Input? = nil) -> APS {
        LiveActivity.start(
            attributesType: "GameAttributes",
            attributes: ["home": "A"],
            contentState: ["score": 0],
            alert: Alert(title: .localized(key: "K", arguments: ["x"]), body: "Begun", sound: "whistle.caf"),
            timestamp: 100,
            input: input,
            staleDate: 200,
            relevanceScore: 75.5
        )
    }

    @Test func `a start says all that Apple asks for, localized texts as dictionaries`() throws {
        #expect(
            try Self.text(Self.start(.pushToken)) == #"{"aps":{"alert":{"title":{"loc-key":"K","loc-args":["x"]},"#
                + #""body":"Begun","sound":"whistle.caf"},"relevance-score":75.5,"event":"start","timestamp":100,"#
                + #""content-state":{"score":0},"stale-date":200,"attributes-type":"GameAttributes","#
                + #""attributes":{"home":"A"},"input-push-token":1}}"#
        )
        let channel = try ChannelID("dHN0LXNyY2gtY2hubA==")
        #expect(try Self.text(Self.start(.channel(channel))).contains(#""input-push-channel":"dHN0LXNyY2gtY2hubA==""#))
    }

    @Test func `an update and an end`() throws {
        #expect(
            try Self.text(LiveActivity.update(contentState: ["s": 1], timestamp: 5))
                == #"{"aps":{"event":"update","timestamp":5,"content-state":{"s":1}}}"#
        )
        #expect(
            try Self.text(LiveActivity.end(contentState: ["s": 2], timestamp: 6, dismissalDate: 7))
                == #"{"aps":{"event":"end","timestamp":6,"content-state":{"s":2},"dismissal-date":7}}"#
        )
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: PayloadError
        let change: @Sendable (inout APS) -> Void

        init(_ name: String, _ expected: PayloadError, _ change: @escaping @Sendable (inout APS) -> Void) {
            (testDescription, self.expected, self.change) = (name, expected, change)
        }
    }

    @Test(arguments: [
        Fault("no event", .missing(.event, for: .liveactivity)) { $0.event = nil },
        Fault("no timestamp", .missing(.timestamp, for: .liveactivity)) { $0.timestamp = nil },
        Fault("no state", .missing(.contentState, for: .liveactivity)) { $0.contentState = nil },
        Fault("no type", .missing(.attributesType, for: .liveactivity)) { $0.attributesType = nil },
        Fault("empty type", .empty(.attributesType)) { $0.attributesType = "" },
        Fault("no attributes", .missing(.attributes, for: .liveactivity)) { $0.attributes = nil },
        Fault("no alert", .missing(.alert, for: .liveactivity)) { $0.alert = nil },
        Fault("state is a list", .notAnObject(.contentState)) { $0.contentState = [1] },
        Fault("attributes are a text", .notAnObject(.attributes)) { $0.attributes = "x" },
        Fault("state with a NaN", .notWritable(.contentState)) { $0.contentState = ["x": PayloadValue(.nan)] },
        Fault("attributes twice the same", .notWritable(.attributes)) { $0.attributes = ["x": 1, "x": 2] },
        Fault("endless score", .outOfRange(.relevanceScore)) { $0.relevanceScore = .infinity },
        Fault("before 1970", .outOfRange(.staleDate)) { $0.staleDate = -1 },
        Fault("a badge", .outOfPlace(.badge, for: .liveactivity)) { $0.badge = 1 },
        Fault("a thread", .outOfPlace(.threadID, for: .liveactivity)) { $0.threadID = "t" },
        Fault("an outer sound", .outOfPlace(.sound, for: .liveactivity)) { $0.sound = .default },
        Fault("a dismissal", .outOfPlace(.dismissalDate, for: .liveactivity)) { $0.dismissalDate = 1 },
        Fault("attributes in an update", .outOfPlace(.attributes, for: .liveactivity)) {
            $0.event = .update
            $0.attributesType = nil
        },
        Fault("a channel in an end", .outOfPlace(.inputPushToken, for: .liveactivity)) {
            ($0.event, $0.attributesType, $0.attributes) = (.end, nil, nil)
        },
    ])
    func `one fault is told by the member's name`(_ fault: Fault) {
        var aps = Self.start(.pushToken)
        fault.change(&aps)
        #expect(throws: fault.expected) { try Self.text(aps) }
    }

    @Test func `a broadcast updates and ends, and does not start`() throws {
        let update = PushPayload(LiveActivity.update(contentState: [:], timestamp: 1))
        #expect(try update.bytesForBroadcast() == update.bytes(for: .liveactivity))
        #expect(throws: PayloadError.broadcastCannotStart) { try PushPayload(Self.start()).bytesForBroadcast() }
    }

    @Test func `what is nested too deep is not written`() {
        func nested(_ depth: Int) -> PayloadValue {
            (1..<depth).reduce(["x": 1]) { inner, _ in ["x": inner] }
        }
        #expect(nested(PayloadValue.depthMax).isWritable)
        #expect(!nested(PayloadValue.depthMax + 1).isWritable)
    }
}
