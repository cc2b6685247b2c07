import Testing

@testable import APNS

struct ReasonTests {
    /// Apple's table, copied by hand a second time so that a slip in either copy shows.
    private static let table: [(Int, [String])] = [
        (
            400,
            [
                "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
                "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
                "MissingTopic", "PayloadEmpty", "TopicDisallowed",
            ]
        ),
        (
            403,
            [
                "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden",
                "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken",
                "BadEnvironmentKeyInToken",
            ]
        ),
        (404, ["BadPath"]), (405, ["MethodNotAllowed"]), (410, ["ExpiredToken", "Unregistered"]),
        (413, ["PayloadTooLarge"]), (429, ["TooManyProviderTokenUpdates", "TooManyRequests"]),
        (500, ["InternalServerError"]), (503, ["ServiceUnavailable", "Shutdown"]),
    ]

    @Test func `every reason of Apple's table is there with its status, and no other`() {
        var count = 0
        for (status, names) in Self.table {
            for name in names {
                #expect(Reason(rawValue: name)?.status == status, "\(name)")
                count += 1
            }
        }
        #expect(Reason.allCases.count == count)
    }

    @Test func `the bytes are those of Apple's examples`() {
        #expect(RejectionBody(.badDeviceToken).json == Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        #expect(
            RejectionBody(.unregistered, timestampMilliseconds: 1_454_402_113_000).json
                == Array(#"{"reason":"Unregistered","timestamp":1454402113000}"#.utf8)
        )
    }

    @Test(arguments: [(1_000, true), (999, true), (1_001, false)])
    func `a 410 proves that the app is gone only for tokens registered before it`(_ registered: Int64, _ gone: Bool) {
        for reason in [Reason.unregistered, .expiredToken] {
            let body = RejectionBody(reason, timestampMilliseconds: 1_000)
            #expect(body.provesGone(registeredAtMilliseconds: registered) == gone)
        }
        let unknown = RejectionBody(reasonText: "Vanished", timestampMilliseconds: 1_000)
        #expect(unknown?.provesGone(registeredAtMilliseconds: registered) == gone)
    }

    @Test func `nothing but a 410 with its timestamp proves anything`() {
        #expect(!RejectionBody(.unregistered).provesGone(registeredAtMilliseconds: 0))
        let other = RejectionBody(reasonText: "BadDeviceToken", timestampMilliseconds: 1_000)
        #expect(other?.provesGone(registeredAtMilliseconds: 0) == false)
    }
}
