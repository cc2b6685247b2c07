import APNS
import HTTP
import TestSupport
import Testing

@testable import APNSProvider

struct RequestEncoderTests {
    private static func token() throws -> ProviderToken {
        try ProviderToken(
            signedWith: ThrowawayKeys.first(),
            keyID: KeyID("ABC123DEFG"),
            teamID: TeamID("DEF123GHIJ"),
            issuedAt: 7
        )
    }

    private static func notification() throws -> PushNotification {
        PushNotification(
            id: APNSID(randomBytes: Array(0..<16)),
            deviceToken: try DeviceToken(bytes: [0xAB, 0x01]),
            topic: try Topic("com.example.chat"),
            priority: .powerAware,
            expiration: .oneAttempt,
            collapseID: try CollapseID("news"),
            payload: Array("{}".utf8)
        )
    }

    private static func encode(
        _ encoder: inout RequestEncoder,
        _ notification: PushNotification,
        _ token: ProviderToken?
    ) -> HeaderBlock {
        encoder.encode(notification, token)
        return encoder.headers
    }

    @Test func `a push is written as Apple's table has it, pseudo-headers first`() throws {
        var encoder = RequestEncoder(authority: APNSEndpoint.production.authority)
        let token = try Self.token()
        let headers = Self.encode(&encoder, try Self.notification(), token)
        let fields = headers.map {
            (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        let expected = [
            (":method", "POST"), (":scheme", "https"), (":authority", "api.push.apple.com"),
            (":path", "/3/device/ab01"),
            ("authorization", String(decoding: token.authorization, as: UTF8.self)),
            ("apns-id", "00010203-0405-4607-8809-0a0b0c0d0e0f"), ("apns-push-type", "alert"),
            ("apns-topic", "com.example.chat"), ("apns-priority", "5"), ("apns-expiration", "0"),
            ("apns-collapse-id", "news"),
        ]
        #expect(fields.map(\.0) == expected.map(\.0))
        #expect(fields.map(\.1) == expected.map(\.1))
    }

    @Test func `what differs in each push is indexed once, for its name, and the token and the path never`() throws {
        var encoder = RequestEncoder(authority: APNSEndpoint.sandbox.authority)
        let first = Self.encode(&encoder, try Self.notification(), try Self.token())
        let second = Self.encode(&encoder, try Self.notification(), try Self.token())
        func indexing(_ headers: HeaderBlock, _ name: String) -> HeaderBlock.Indexing? {
            headers.first { $0.name.elementsEqual(name.utf8) }?.indexing
        }
        for name in ["apns-id", "apns-expiration", "apns-collapse-id"] {
            #expect(indexing(first, name) == .indexed, "\(name)")
            #expect(indexing(second, name) == .notIndexed, "\(name)")
        }
        for headers in [first, second] {
            #expect(indexing(headers, "authorization") == .neverIndexed)
            #expect(indexing(headers, ":path") == .notIndexed)
            for name in [":method", ":scheme", ":authority", "apns-topic", "apns-push-type", "apns-priority"] {
                #expect(indexing(headers, name) == .indexed, "\(name)")
            }
        }
    }

    /// Pushes in which each field changes in turn, and stays as it is.
    @Test func `a push among others is written as alone`() throws {
        var encoder = RequestEncoder(authority: APNSEndpoint.production.authority)
        let tokens = [
            try Self.token(), nil,
            try ProviderToken(
                signedWith: ThrowawayKeys.second(),
                keyID: KeyID("ABC123DEFG"),
                teamID: TeamID("DEF123GHIJ"),
                issuedAt: 8
            ),
        ]
        var random = SeededRandom(seed: RunSeed.here())
        var notification = try Self.notification()
        var token = tokens[0]
        for number in 0..<500 {
            notification.id = APNSID(randomBytes: (0..<16).map { _ in .random(in: 0...255, using: &random) })
            notification.deviceToken = try DeviceToken(bytes: [UInt8(number & 0xFF), 1])
            switch Int.random(in: 0..<12, using: &random) {
            case 0: notification.deviceToken = try DeviceToken(bytes: Array(repeating: 7, count: number % 40 + 1))
            case 1: notification.topic = try Topic(number % 2 == 0 ? "com.example.chat" : "com.example.chut")
            case 2: notification.pushType = number % 2 == 0 ? .background : .alert
            case 3: notification.priority = [nil, .powerAware, .immediate][number % 3]
            case 4:
                let times: [UInt64?] = [nil, 0, 9, 10, 1_999_999_999, 2_000_000_000, .max]
                notification.expiration = times[number % 7].map { Expiration(unixSeconds: $0) }
            case 5:
                notification.collapseID = try [nil, CollapseID("news"), CollapseID("olds"), CollapseID("ancient")][
                    number % 4
                ]
            case 6: token = tokens[number % 3]
            default: break
            }
            var alone = RequestEncoder(authority: APNSEndpoint.production.authority)
            let fields = Self.encode(&encoder, notification, token)
            let expected = Self.encode(&alone, notification, token)
            try #require(fields.map { [$0.name, $0.value] } == expected.map { [$0.name, $0.value] })
        }
    }

    @Test func `headers that a push does not have are not written`() throws {
        var encoder = RequestEncoder(authority: APNSEndpoint.production.authority)
        var notification = try Self.notification()
        (notification.priority, notification.expiration, notification.collapseID) = (nil, nil, nil)
        let headers = Self.encode(&encoder, notification, try Self.token())
        #expect(headers.count == 8)
    }

    @Test(arguments: [
        ("api.push.apple.com", UInt16(443), "api.push.apple.com"), ("localhost", 8443, "localhost:8443"),
        ("::1", 2197, "[::1]:2197"), ("::1", 443, "[::1]"),
    ])
    func `the authority names the port where it is not 443`(_ host: String, _ port: UInt16, _ expected: String) {
        #expect(APNSEndpoint(host: host, port: port).authority == Array(expected.utf8))
    }
}
