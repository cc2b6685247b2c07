import APNS
import Testing

@testable import APNSSimulator

struct RequestValidatorTests {
    @Test func `a request as the documentation writes it is accepted, with all that it says`() throws {
        var world = try World()
        let verdict = world.verdict(on: try Request())
        let push = try verdict.result.get()
        #expect(String(decoding: verdict.answeredID, as: UTF8.self) == Request.id)
        #expect(push.id.description == Request.id)
        #expect(push.deviceToken.hex == Request.token)
        #expect(push.topic.description == "com.example.chat")
        #expect(push.pushType == .alert && push.priority == .immediate)
        #expect(push.expiration == .oneAttempt)
        #expect(push.collapseID?.bytes == Array("news".utf8))
    }

    @Test func `what may be left out may be left out`() throws {
        var world = try World()
        var request = try Request()
        for name in ["apns-id", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id", ":authority"]
        {
            request[name] = nil
        }
        let verdict = world.verdict(on: request)
        let push = try verdict.result.get()
        #expect(push.pushType == .alert && push.priority == .immediate)
        #expect(push.expiration == nil && push.collapseID == nil)
        #expect(String(decoding: verdict.answeredID, as: UTF8.self) == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
        #expect(push.id.description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let expected: Reason
        let spoil: @Sendable (inout Request) throws -> Void
        var testDescription: String { name }

        init(_ name: String, _ expected: Reason, _ spoil: @escaping @Sendable (inout Request) throws -> Void) {
            (self.name, self.expected, self.spoil) = (name, expected, spoil)
        }
    }

    /// In the order of the simulator's checks: the faults of an earlier line hide those of a later one.
    static let faults: [Fault] = [
        Fault("topic twice", .duplicateHeaders) { $0.fields.append(("apns-topic", "com.example.chat")) },
        Fault("unknown header twice", .duplicateHeaders) { $0.fields += [("x-a", "1"), ("x-a", "2")] },
        Fault("GET", .methodNotAllowed) { $0[":method"] = "GET" },
        Fault("post", .methodNotAllowed) { $0[":method"] = "post" },
        Fault("another path", .badPath) { $0[":path"] = "/3/devices/\(Request.token)" },
        Fault("root", .badPath) { $0[":path"] = "/" },
        Fault("no path", .badPath) { $0[":path"] = nil },
        Fault("path goes on", .badPath) { $0[":path"] = "/3/device/\(Request.token)/x" },
        Fault("query", .badPath) { $0[":path"] = "/3/device/\(Request.token)?a=b" },
        Fault("no token in the path", .missingDeviceToken) { $0[":path"] = "/3/device/" },
        Fault("no authorization", .missingProviderToken) { $0["authorization"] = nil },
        Fault("blank authorization", .missingProviderToken) { $0["authorization"] = "  " },
        Fault("another scheme", .invalidProviderToken) { $0["authorization"] = "Basic YTpi" },
        Fault("no token after bearer", .invalidProviderToken) { $0["authorization"] = "bearer " },
        Fault("unknown key", .invalidProviderToken) {
            $0["authorization"] = try Authorization(keyID: "UNKNOWN001").value
        },
        Fault("wrong team", .invalidProviderToken) {
            $0["authorization"] = try Authorization(teamID: "OTHERTEAM0").value
        },
        Fault("wrong key", .invalidProviderToken) {
            $0["authorization"] = try Authorization(signsWithSecondKey: true).value
        },
        Fault("old token", .expiredProviderToken) {
            $0["authorization"] = try Authorization(issuedAt: Request.now - 3601).value
        },
        Fault("token from the future", .invalidProviderToken) {
            $0["authorization"] = try Authorization(issuedAt: Request.now + 61).value
        },
        Fault("iat in milliseconds", .invalidProviderToken) {
            $0["authorization"] = try Authorization(issuedAt: Request.now * 1000).value
        },
        Fault("id is no UUID", .badMessageID) { $0["apns-id"] = "1-1-1-1-1" },
        Fault("id in upper case", .badMessageID) { $0["apns-id"] = Request.id.uppercased() },
        Fault("empty id", .badMessageID) { $0["apns-id"] = "" },
        Fault("no topic", .missingTopic) { $0["apns-topic"] = nil },
        Fault("empty topic", .missingTopic) { $0["apns-topic"] = "" },
        Fault("topic with a space", .badTopic) { $0["apns-topic"] = "com example" },
        Fault("long topic", .badTopic) { $0["apns-topic"] = String(repeating: "a", count: 256) },
        Fault("topic not of the key", .topicDisallowed) {
            $0["authorization"] = try Authorization(keyID: "TOPICKEY01", signsWithSecondKey: true).value
            $0["apns-topic"] = "com.example.other"
        },
        Fault("unknown push type", .invalidPushType) { $0["apns-push-type"] = "Alert" },
        Fault("voip without its suffix", .badTopic) { $0["apns-push-type"] = "voip" },
        Fault("alert with a suffix", .badTopic) { $0["apns-topic"] = "com.example.chat.voip" },
        Fault("one type with the suffix of another", .badTopic) {
            $0["apns-push-type"] = "voip"
            $0["apns-topic"] = "com.example.chat.complication"
        },
        Fault("priority 7", .badPriority) { $0["apns-priority"] = "7" },
        Fault("empty priority", .badPriority) { $0["apns-priority"] = "" },
        Fault("background now", .badPriority) { $0["apns-push-type"] = "background" },
        Fault("background without a priority, which means now", .badPriority) {
            $0["apns-push-type"] = "background"
            $0["apns-priority"] = nil
        },
        Fault("expiration is no number", .badExpirationDate) { $0["apns-expiration"] = "tomorrow" },
        Fault("negative expiration", .badExpirationDate) { $0["apns-expiration"] = "-1" },
        Fault("collapse id of 65 bytes", .badCollapseID) { $0["apns-collapse-id"] = String(repeating: "c", count: 65) },
        Fault("collapse id of 33 characters and 66 bytes", .badCollapseID) {
            $0["apns-collapse-id"] = String(repeating: "é", count: 33)
        },
        Fault("token is not hex", .badDeviceToken) { $0[":path"] = "/3/device/zz" },
        Fault("half a byte", .badDeviceToken) { $0[":path"] = "/3/device/abc" },
        Fault("token of nobody", .badDeviceToken) { $0[":path"] = "/3/device/" + String(repeating: "cd", count: 32) },
        Fault("token of another app", .deviceTokenNotForTopic) { $0["apns-topic"] = "com.example.other" },
        Fault("token of the app without the suffix's bundle", .deviceTokenNotForTopic) {
            $0["apns-push-type"] = "voip"
            $0["apns-topic"] = "com.example.voip"
        },
        Fault("no body", .payloadEmpty) { $0.bodyByteCount = 0 },
        Fault("4097 bytes", .payloadTooLarge) { $0.bodyByteCount = 4097 },
        Fault("voip of 5121 bytes", .payloadTooLarge) {
            $0["apns-push-type"] = "voip"
            $0["apns-topic"] = "com.example.chat.voip"
            $0.bodyByteCount = 5121
        },
    ]

    @Test(arguments: faults)
    func `one fault gets Apple's reason`(_ fault: Fault) throws {
        var world = try World()
        var request = try Request()
        try fault.spoil(&request)
        #expect(world.reason(request) == fault.expected)
    }

    @Test func `an app that is gone gets 410 with its time`() throws {
        var world = try World()
        world.registrations[Request.token] = .init(
            bundleID: try Topic("com.example.chat"),
            unregisteredAtMilliseconds: 1_700_000_000_123
        )
        var request = try Request()
        let verdict = world.verdict(on: request)
        #expect(verdict.result == .failure(RequestRejection(.unregistered, timestampMilliseconds: 1_700_000_000_123)))
        request.bodyByteCount = 9999
        #expect(world.reason(request) == .unregistered)
    }

    @Test func `cookie pieces are no duplicate header`() throws {
        var world = try World()
        var request = try Request()
        request.fields += [("cookie", "a=b"), ("cookie", "c=d")]
        #expect(world.reason(request) == nil)
    }

    @Test(arguments: PushType.allCases)
    func `each push type is accepted on its own topic, up to its own size`(_ type: PushType) throws {
        var world = try World { $0.validation.managementWithToken = .accept }
        var request = try Request()
        request["apns-push-type"] = type.rawValue
        request["apns-topic"] = "com.example.chat" + type.topicSuffix
        request["apns-priority"] = "5"
        request.bodyByteCount = type.payloadByteCountMax
        #expect(world.reason(request) == nil)
        request["apns-push-type"] = nil
        let inferred = try world.verdict(on: request).result.get().pushType
        #expect(inferred == (type.topicSuffix.isEmpty ? .alert : type))
        request["apns-push-type"] = type.rawValue
        request.bodyByteCount += 1
        #expect(world.reason(request) == .payloadTooLarge)
    }

    @Test func `a refusal echoes a readable id and makes one where there is none`() throws {
        var world = try World()
        var request = try Request()
        request[":method"] = "GET"
        #expect(String(decoding: world.verdict(on: request).answeredID, as: UTF8.self) == Request.id)
        request["apns-id"] = "nonsense"
        let made = String(decoding: world.verdict(on: request).answeredID, as: UTF8.self)
        #expect(made == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
    }

    @Test
    func `a topic-specific key may push to its bundle ids and their suffixes, even where one looks like a suffix`()
        throws
    {
        var request = try Request()
        request["authorization"] = try Authorization(keyID: "TOPICKEY01", signsWithSecondKey: true).value
        var world = try World()
        #expect(world.reason(request) == nil)
        world.registrations[Request.token] = .init(bundleID: try Topic("com.example.voip"))
        request["apns-topic"] = "com.example.voip"
        #expect(world.reason(request) == nil)
        request["apns-push-type"] = "voip"
        request["apns-topic"] = "com.example.voip.voip"
        #expect(world.reason(request) == nil)
    }
}
