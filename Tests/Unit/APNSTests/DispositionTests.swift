import Testing

@testable import APNS

struct DispositionTests {
    private static func disposition(_ reason: Reason) -> Disposition {
        Disposition(status: reason.status, reason: reason)
    }

    private static let requestFaults: Set<Reason> = [
        .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders, .invalidPushType,
        .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge,
    ]
    private static let credentialFaults: Set<Reason> = [
        .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken,
        .missingProviderToken, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
    ]
    private static let retries: [Reason: Disposition.Retry] = [
        .unrelatedKeyIDInToken: .atOnceOnAnotherConnection, .expiredProviderToken: .onceWithNewProviderToken,
        .tooManyProviderTokenUpdates: .laterWithSameProviderToken, .tooManyRequests: .laterForDeviceToken,
        .internalServerError: .backOff, .serviceUnavailable: .backOff, .shutdown: .atOnceOnAnotherConnection,
        .idleTimeout: .atOnceOnAnotherConnection,
    ]

    @Test(arguments: Reason.allCases)
    func `each reason decides over the notification as Apple's table says`(_ reason: Reason) {
        let expected: Disposition.Notification =
            if let retry = Self.retries[reason] {
                .retry(retry)
            } else if Self.credentialFaults.contains(reason) {
                .park
            } else if reason.status == 410 {
                .undeliverable
            } else {
                .deadLetter
            }
        #expect(Self.disposition(reason).notification == expected)
    }

    @Test(arguments: Reason.allCases)
    func `only four kinds of answer touch the device token`(_ reason: Reason) {
        let expected: [Reason: Disposition.DeviceToken] = [
            .badDeviceToken: .quarantine, .deviceTokenNotForTopic: .deletePair, .tooManyRequests: .slowDown,
            .unregistered: .deleteUnlessRegisteredSince, .expiredToken: .deleteUnlessRegisteredSince,
        ]
        #expect(Self.disposition(reason).deviceToken == expected[reason] ?? .keep)
    }

    @Test(arguments: Reason.allCases)
    func `a bad credential suspends its lane and drains the connection, and nothing else does`(_ reason: Reason) {
        let disposition = Self.disposition(reason)
        let isCredentialFault = Self.credentialFaults.contains(reason)
        #expect((disposition.lane == .suspend) == isCredentialFault)
        #expect((disposition.connection == .drain) == isCredentialFault)
        if Self.requestFaults.contains(reason) { #expect(disposition.lane == .alarm) }
    }

    @Test func `the rest of the lane's column`() {
        #expect(Self.disposition(.badDeviceToken).lane == .breaker)
        #expect(Self.disposition(.expiredProviderToken).lane == .checkClock)
        #expect(Self.disposition(.tooManyProviderTokenUpdates).lane == .freezeProviderToken)
        #expect(Self.disposition(.unrelatedKeyIDInToken).lane == .alarm)
        #expect(Self.disposition(.unrelatedKeyIDInToken).connection == .replace)
        #expect(Self.disposition(.shutdown).connection == .replace)
        #expect(Self.disposition(.unregistered).connection == .keep, "Apple does not count it as an error")
    }

    @Test func `200 is taken for delivery, whatever else it says`() {
        for reason in [nil, Reason.badDeviceToken] {
            let disposition = Disposition(status: 200, reason: reason)
            #expect(disposition.notification == .accepted && disposition.deviceToken == .markReached)
            #expect(disposition.connection == .keep && disposition.lane == .keep)
        }
    }

    @Test(arguments: [
        (400, Disposition.Notification.deadLetter), (401, .deadLetter), (403, .deadLetter), (418, .deadLetter),
        (410, .undeliverable), (429, .retry(.backOff)), (500, .retry(.backOff)), (502, .retry(.backOff)),
        (504, .retry(.backOff)), (599, .retry(.backOff)), (600, .deadLetter), (302, .deadLetter), (201, .deadLetter),
        (0, .deadLetter), (-1, .deadLetter),
    ])
    func `without a known reason the status decides`(_ status: Int, _ expected: Disposition.Notification) {
        #expect(Disposition(status: status, reason: nil).notification == expected)
    }

    @Test func `a reason with another status than its own counts as unknown`() {
        #expect(Disposition(status: 500, reason: .badDeviceToken) == Disposition(status: 500, reason: nil))
        #expect(Disposition(status: 400, reason: .unregistered).deviceToken == .keep)
    }

    @Test func `a GOAWAY sends what was not processed elsewhere, unless the credential is bad`() {
        for reason in [nil, Reason.shutdown, .idleTimeout, .expiredProviderToken, .badDeviceToken] {
            let disposition = Disposition(goAwayReason: reason)
            #expect(disposition.notification == .retry(.atOnceOnAnotherConnection))
            #expect(disposition.connection == .replace && disposition.deviceToken == .keep)
        }
        let bad = Disposition(goAwayReason: .badCertificateEnvironment)
        #expect(bad.notification == .park && bad.connection == .drain && bad.lane == .suspend)
    }
}
