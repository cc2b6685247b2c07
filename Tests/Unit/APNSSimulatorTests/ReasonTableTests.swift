import APNS
import DeviceLink
import HTTP
import Networking
import Primitives
import TestCertificates
import TestSupport
import Testing

@testable import APNSSimulator

struct Provocation: Sendable {
    let reason: Reason
    var configure: @Sendable (inout SimulatorConfiguration) throws -> Void = { _ in }
    var client: ProviderIdentity?
    var prepare: @Sendable (Simulator, DeviceToken) async -> Void = { _, _ in }
    /// True if a good request goes before.
    var isSecond = false
    let spoil: @Sendable (inout Request) throws -> Void

    static let all: [Provocation] = headers + credentials + requests + tokensAndPayloads

    private static let headers: [Provocation] = [
        Provocation(reason: .badCollapseID) { $0["apns-collapse-id"] = String(repeating: "é", count: 33) },
        Provocation(reason: .badExpirationDate) { $0["apns-expiration"] = "tomorrow" },
        Provocation(reason: .badMessageID) { $0["apns-id"] = "1-1-1-1-1" },
        Provocation(reason: .badPriority) { $0["apns-priority"] = "7" },
        Provocation(reason: .badTopic) { $0["apns-topic"] = "com.example.chat.voip" },
        Provocation(reason: .duplicateHeaders) { $0.fields.append(("apns-priority", "10")) },
        Provocation(reason: .invalidPushType) { $0["apns-push-type"] = "Alert" },
        Provocation(reason: .missingTopic) { $0["apns-topic"] = nil },
        Provocation(reason: .topicDisallowed) {
            $0["authorization"] = try Authorization(keyID: "TOPICKEY01", signsWithSecondKey: true).value
            $0["apns-topic"] = "com.example.other"
        },
    ]

    private static let credentials: [Provocation] = [
        Provocation(reason: .badCertificate, configure: answersWithStatus, client: .notForAPNs) { _ in },
        Provocation(reason: .badCertificateEnvironment, configure: answersWithStatus, client: .productionOnly) { _ in },
        Provocation(reason: .expiredProviderToken) {
            $0["authorization"] = try Authorization(issuedAt: Request.now - 3601).value
        },
        Provocation(reason: .forbidden) { $0["apns-push-type"] = "mdm" },
        Provocation(reason: .invalidProviderToken) { $0["authorization"] = "bearer nonsense" },
        Provocation(reason: .missingProviderToken) { $0["authorization"] = nil },
        Provocation(reason: .unrelatedKeyIDInToken, isSecond: true) {
            $0["authorization"] = try Authorization(keyID: "TOPICKEY01", signsWithSecondKey: true).value
        },
        Provocation(
            reason: .badEnvironmentKeyIDInToken,
            configure: { $0.validation.keyEnvironmentReason = .documented },
            spoil: { $0["authorization"] = try Authorization(keyID: "PRODONLY01", signsWithSecondKey: true).value }
        ),
        Provocation(reason: .badEnvironmentKeyInToken) {
            $0["authorization"] = try Authorization(keyID: "PRODONLY01", signsWithSecondKey: true).value
        },
        Provocation(reason: .tooManyProviderTokenUpdates, isSecond: true) {
            $0["authorization"] = try Authorization(issuedAt: Request.now).value
        },
    ]

    private static let requests: [Provocation] = [
        Provocation(reason: .badPath) { $0[":path"] = "/3/devices/\(Request.token)" },
        Provocation(reason: .methodNotAllowed) { $0[":method"] = "PUT" },
        Provocation(reason: .missingDeviceToken) { $0[":path"] = "/3/device/" },
    ]

    private static let tokensAndPayloads: [Provocation] = [
        Provocation(reason: .badDeviceToken) { $0[":path"] = "/3/device/\(Request.token)" },
        Provocation(reason: .deviceTokenNotForTopic) { $0["apns-topic"] = "com.example.other" },
        Provocation(reason: .expiredToken, prepare: { await $0.unregister($1, isExpired: true) }) { _ in },
        Provocation(reason: .unregistered, prepare: { await $0.unregister($1) }) { _ in },
        Provocation(reason: .payloadEmpty) { $0.bodyByteCount = 0 },
        Provocation(reason: .payloadTooLarge) { $0.bodyByteCount = 4097 },
        Provocation(reason: .tooManyRequests, configure: onePushAMinute, isSecond: true) { _ in },
    ]

    private static let onePushAMinute: @Sendable (inout SimulatorConfiguration) -> Void = {
        ($0.delivery.tokenRequestsPerMinute, $0.delivery.tokenBurst) = (1, 1)
    }

    private static let answersWithStatus: @Sendable (inout SimulatorConfiguration) -> Void = {
        $0.validation.unfitCertificate = .status
    }

    func provoke() async throws -> HTTP2Response {
        let authority = try TestAuthority(name: "Authority of providers")
        let site = try await Site {
            $0.keys += try Self.moreKeys()
            $0.validation.clientAuthoritiesPEM = try authority.certificatePEM
            try configure(&$0)
        }
        let device = try await site.device()
        let connection = try await site.rawConnection(as: client?.issue(by: authority))
        var request = try Request()
        request[":path"] = "/3/device/\(device.deviceToken.hex)"
        if isSecond { #expect(try await connection.send(request.message).status == 200) }
        await prepare(site.simulator, device.deviceToken)
        try spoil(&request)
        let response = try await connection.send(request.message)
        await connection.close()
        await site.simulator.close()
        return response
    }

    private static func moreKeys() throws -> [SigningKey] {
        let publicKey = try ThrowawayKeys.second().publicKey()
        let team = try TeamID("DEF123GHIJ")
        return [
            SigningKey(
                id: try KeyID("TOPICKEY01"),
                team: team,
                publicKey: publicKey,
                bundleIDs: [try Topic("com.example.chat")]
            ),
            SigningKey(
                id: try KeyID("PRODONLY01"),
                team: team,
                publicKey: publicKey,
                environments: [.production]
            ),
        ]
    }
}

extension Request {
    var message: HTTP2Request {
        HTTP2Request(headers: headers, body: [UInt8](repeating: 0x20, count: bodyByteCount))
    }
}

struct ReasonTableTests {
    @Test
    func `the table has every reason once, with Apple's status and a source`() {
        #expect(ReasonTable.rows.count == Reason.allCases.count)
        #expect(Set(ReasonTable.rows.map(\.reason)) == Set(Reason.allCases))
        for row in ReasonTable.rows {
            #expect(row.status == row.reason.status, "\(row.reason)")
            #expect(!row.trigger.isEmpty && !row.source.isEmpty, "\(row.reason)")
        }
    }

    @Test
    func `every reason is provoked by a request, but for those that come from elsewhere`() {
        let provoked = Set(Provocation.all.map(\.reason))
        let elsewhere: Set<Reason> = [.idleTimeout, .internalServerError, .serviceUnavailable, .shutdown]
        #expect(provoked == Set(Reason.allCases).subtracting(elsewhere))
        #expect(Set(ReasonTable.rows.filter { $0.provocation != .request }.map(\.reason)) == elsewhere)
    }

    @Test(arguments: Provocation.all)
    func `a request that is wrong gets its reason, in Apple's form`(_ provocation: Provocation) async throws {
        let response = try await provocation.provoke()
        let reason = provocation.reason
        #expect(response.status == reason.status)
        let timestamp = reason.status == 410 ? #","timestamp":\#(Site.start * 1000)"# : ""
        #expect(response.body == Array(#"{"reason":"\#(reason.rawValue)"\#(timestamp)}"#.utf8))
        let names = response.headers.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["content-type", "apns-id"])
        #expect(response.headers["content-type"].map(Array.init) == Array("application/json".utf8))
        let id = String(decoding: response.headers["apns-id"] ?? [], as: UTF8.self)
        if reason == .badMessageID {
            #expect(id == id.uppercased() && APNSID(id) != nil)
        } else {
            #expect(id == Request.id)
        }
    }

    @Test(arguments: APNSEnvironment.allCases)
    func `a success has no body, and a unique id in the sandbox only`(_ environment: APNSEnvironment) async throws {
        let site = try await Site { $0.environment = environment }
        let device = try await site.device()
        let connection = try await site.rawConnection()
        var request = try Request()
        request[":path"] = "/3/device/\(device.deviceToken.hex)"
        var uniqueIDs: Set<String> = []
        for id in [Request.id, nil] {
            request["apns-id"] = id
            let response = try await connection.send(request.message)
            #expect(response.status == 200 && response.body.isEmpty)
            let names = response.headers.map { String(decoding: $0.name, as: UTF8.self) }
            #expect(names == (environment == .sandbox ? ["apns-id", "apns-unique-id"] : ["apns-id"]))
            let answered = String(decoding: response.headers["apns-id"] ?? [], as: UTF8.self)
            #expect(id == nil ? answered == answered.uppercased() && APNSID(answered) != nil : answered == id)
            uniqueIDs.insert(String(decoding: response.headers["apns-unique-id"] ?? [], as: UTF8.self))
        }
        #expect(uniqueIDs.count == (environment == .sandbox ? 2 : 1))
        await connection.close()
        await site.simulator.close()
    }

    @Test
    func `an error is one frame of headers and one frame of data`() async throws {
        let site = try await Site()
        let client = try TestClient(port: site.simulator.pushPort, alpn: [2, 0x68, 0x32])
        client.send(RawFrame.preface + RawFrame.request(stream: 1, endsStream: true))
        var bytes: [UInt8] = []
        while !RawFrame.parse(bytes).contains(where: { $0.stream == 1 && $0.flags & 1 == 1 }) {
            let more = client.receive()
            try #require(!more.isEmpty)
            bytes += more
        }
        let answer = RawFrame.parse(bytes).filter { $0.stream == 1 }
        #expect(answer.map(\.type) == [1, 0])
        #expect(answer.map { $0.flags & 1 } == [0, 1])
        #expect(answer.last?.payload == Array(#"{"reason":"BadPath"}"#.utf8))
        await site.simulator.close()
    }
}
