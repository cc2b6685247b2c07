import APNS
import Testing

@testable import APNSSimulator

/// Each setting of the validation acts, and no check before it is affected.
struct ValidationRuleTests {
    private func request(_ pushType: String?, topic: String) throws -> Request {
        var request = try Request()
        request["apns-push-type"] = pushType
        request["apns-topic"] = topic
        return request
    }

    @Test(arguments: [
        ("alert", "com.example.chat.voip"), ("voip", "com.example.chat"), ("voip", "com.example.chat.complication"),
    ])
    func `a topic of another type is refused, accepted, or accepted and dropped`(
        _ pushType: String,
        _ topic: String
    ) throws {
        let request = try request(pushType, topic: topic)
        for policy in ValidationRules.SuffixMismatch.allCases {
            var world = try World { $0.validation.suffixMismatch = policy }
            guard policy != .badTopic else {
                #expect(world.reason(request) == .badTopic)
                continue
            }
            let push = try world.verdict(on: request).result.get()
            #expect(push.hasTopicOfAnotherType)
            #expect(push.isDropped == (policy == .drop))
        }
    }

    @Test
    func `what fits is not dropped, and another app's token is refused whatever the topic ends in`() throws {
        var world = try World { $0.validation.suffixMismatch = .drop }
        #expect(try !world.verdict(on: Request()).result.get().isDropped)
        #expect(world.reason(try request("alert", topic: "com.example.other.voip")) == .deviceTokenNotForTopic)
    }

    @Test
    func `a push without a type is taken for what its topic says, or refused`() throws {
        var world = try World()
        let request = try request(nil, topic: "com.example.chat.voip")
        #expect(try world.verdict(on: request).result.get().pushType == .voip)
        var strict = try World { $0.validation.missingPushType = .invalidPushType }
        #expect(strict.reason(request) == .invalidPushType)
    }

    @Test
    func `a background push with priority 10 is refused, or accepted`() throws {
        let request = try request("background", topic: "com.example.chat")
        var world = try World()
        #expect(world.reason(request) == .badPriority)
        var lenient = try World { $0.validation.backgroundAtOnce = .accept }
        #expect(try lenient.verdict(on: request).result.get().priority == .immediate)
        var bad = request
        bad["apns-priority"] = "7"
        #expect(lenient.reason(bad) == .badPriority)
    }

    @Test
    func `a Live Activity's push with priority 1 is refused, or accepted`() throws {
        var (strict, lenient) = (try World(), try World { $0.validation.liveActivityLow = .accept })
        var request = try Request()
        request["apns-topic"] = "com.example.chat.push-type.liveactivity"
        request["apns-push-type"] = "liveactivity"
        for (priority, reason) in [("1", .badPriority), ("5", nil), ("10", nil)] as [(String, Reason?)] {
            request["apns-priority"] = priority
            #expect(strict.reason(request) == reason)
            #expect(lenient.reason(request) == nil)
        }
        // The one's leniency is not the other's.
        request["apns-topic"] = "com.example.chat"
        (request["apns-push-type"], request["apns-priority"]) = ("background", "10")
        #expect(lenient.reason(request) == .badPriority)
    }

    @Test
    func `a background push without a priority passes where it passes at Apple`() throws {
        var request = try request("background", topic: "com.example.chat")
        request["apns-priority"] = nil
        var (spec, apple) = (try World(), try World(profile: .apple))
        #expect(spec.reason(request) == .badPriority)
        #expect(try apple.verdict(on: request).result.get().priority == .powerAware)
    }

    @Test
    func `an id in upper case passes where it passes at Apple, and comes back as it was`() throws {
        var request = try Request()
        request["apns-id"] = Request.id.uppercased()
        var (spec, apple) = (try World(), try World(profile: .apple))
        #expect(spec.reason(request) == .badMessageID)
        #expect(String(decoding: apple.verdict(on: request).answeredID, as: UTF8.self) == Request.id.uppercased())
    }

    @Test
    func `a device management push with a token gets what the setting says`() throws {
        let request = try request("mdm", topic: "com.example.chat")
        for rule in ValidationRules.ManagementWithToken.allCases {
            var world = try World { $0.validation.managementWithToken = rule }
            #expect(world.reason(request)?.rawValue == (rule == .accept ? nil : rule.rawValue))
        }
    }

    @Test(arguments: ["{}", #"{"aps":{"alert":"x"},"list":[1,2.5,null]}"#])
    func `a JSON object passes, strict or not`(_ payload: String) throws {
        for isStrict in [false, true] {
            var world = try World { $0.validation.strictJSON = isStrict }
            #expect(world.reason(try Request(), payload: Array(payload.utf8)) == nil)
        }
    }

    @Test(arguments: ["[]", "1", "{", #"{"aps":}"#, #"{"a":1}x"#, "\u{FEFF}{}", "{\"a\":\"\u{0}\"}"])
    func `what is no JSON object passes, and strictly does not`(_ payload: String) throws {
        for isStrict in [false, true] {
            var world = try World { $0.validation.strictJSON = isStrict }
            let expected: Reason? = isStrict ? .payloadEmpty : nil
            #expect(world.reason(try Request(), payload: Array(payload.utf8)) == expected)
        }
    }

    @Test(
        arguments: [
            ("none", []), ("0x1F2E", [[0x1F, 0x2E]]), ("0x1,0xff", [[1], [0xFF]]), ("0x000102", [[1, 2]]),
        ] as [(String, Set<[UInt8]>)]
    )
    func `serial numbers are read as a person writes them`(_ text: String, _ numbers: Set<[UInt8]>) throws {
        var configuration = SimulatorConfiguration(keys: [])
        try SimulatorSetting.apply("revoked-certificates", text, to: &configuration)
        #expect(configuration.validation.revokedSerialNumbers == numbers)
        let setting = try #require(SimulatorSetting.all.first { $0.name == "revoked-certificates" })
        #expect(setting.set(&configuration, setting.value(configuration)))
        #expect(configuration.validation.revokedSerialNumbers == numbers)
    }

    @Test(arguments: [
        "0x", "0xG", "12", "0x1,", ",0x1", "0X1", "0x1 ", "0x\u{FF11}", "0x" + String(repeating: "1", count: 41),
    ])
    func `what is no serial number is not taken`(_ text: String) {
        var configuration = SimulatorConfiguration(keys: [])
        #expect(throws: SimulatorSettingError.self) {
            try SimulatorSetting.apply("revoked-certificates", text, to: &configuration)
        }
    }
}
