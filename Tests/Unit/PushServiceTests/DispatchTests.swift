import APNS
import Envelope
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

struct LaneSchedulerTests {
    private typealias Counts = LaneScheduler.Counts

    @Test func `a call that arrives in the middle of a broadcast waits for five others at most, and nothing starves`() {
        var random = SeededRandom(seed: RunSeed.here())
        for _ in 0..<200 {
            var scheduler = LaneScheduler(inFlightMax: 1_000)
            let waiting = Counts(normal: 1_000_000, background: 1_000_000)
            for _ in 0..<Int.random(in: 0..<100, using: &random) {
                if let choice = scheduler.next(fresh: waiting, retries: Counts()) { scheduler.didFinish(choice.lane) }
            }
            var others = 0
            while let choice = scheduler.next(
                fresh: Counts(urgent: 1, normal: waiting.normal, background: waiting.background),
                retries: Counts()
            ), choice.lane != .urgent {
                others += 1
                scheduler.didFinish(choice.lane)
            }
            #expect(others <= LaneScheduler.othersBeforeUrgentMax)
        }
    }

    @Test func `a call with turns left in the round waits for nobody`() {
        #expect(LaneScheduler.othersBeforeUrgentMax == 5)
        var scheduler = LaneScheduler(inFlightMax: 1_000)
        let everything = Counts(urgent: 1, normal: 1_000, background: 1_000)
        for _ in 0..<LaneScheduler.shares.urgent {
            #expect(scheduler.next(fresh: everything, retries: Counts())?.lane == .urgent)
        }
        let others = (0..<5).map { _ in scheduler.next(fresh: everything, retries: Counts())?.lane }
        #expect(others == [.normal, .normal, .normal, .normal, .background])
        #expect(scheduler.next(fresh: everything, retries: Counts())?.lane == .urgent)
    }

    @Test func `of each round every lane gets its share`() {
        var scheduler = LaneScheduler(inFlightMax: 1_000)
        var taken = Counts()
        for _ in 0..<21 * 100 {
            guard let choice = scheduler.next(fresh: Counts(urgent: 9, normal: 9, background: 9), retries: Counts())
            else {
                Issue.record("something waits, and nothing was chosen")
                return
            }
            taken[choice.lane] += 1
            scheduler.didFinish(choice.lane)
        }
        #expect(taken == Counts(urgent: 1_600, normal: 400, background: 100))
    }

    @Test func `a lane that is alone has all of it`() {
        var scheduler = LaneScheduler(inFlightMax: 1_000)
        for _ in 0..<500 {
            #expect(scheduler.next(fresh: Counts(background: 1), retries: Counts())?.lane == .background)
            scheduler.didFinish(.background)
        }
        #expect(scheduler.next(fresh: Counts(), retries: Counts()) == nil)
    }

    @Test func `a broadcast without answers leaves room for calls (abuse case 90)`() {
        var scheduler = LaneScheduler(inFlightMax: 80)
        var taken = Counts()
        while let choice = scheduler.next(fresh: Counts(background: 1_000), retries: Counts()) {
            taken[choice.lane] += 1
        }
        while let choice = scheduler.next(fresh: Counts(normal: 1_000), retries: Counts()) { taken[choice.lane] += 1 }
        while let choice = scheduler.next(fresh: Counts(urgent: 1_000), retries: Counts()) { taken[choice.lane] += 1 }
        #expect(taken == Counts(urgent: 10, normal: 30, background: 40))
    }

    @Test func `retries do not starve what is fresh, and are not starved`() {
        var scheduler = LaneScheduler(inFlightMax: 1_000)
        var retries = 0
        for _ in 0..<400 {
            let choice = scheduler.next(fresh: Counts(normal: 100), retries: Counts(normal: 100))
            if choice?.isRetry == true { retries += 1 }
            scheduler.didFinish(.normal)
        }
        #expect(retries == 100)
        #expect(scheduler.next(fresh: Counts(), retries: Counts(normal: 1))?.isRetry == true)
    }

    @Test func `a tenant with many waiting delays another by one turn (abuse case 90)`() throws {
        var turns = TenantTurns<Int>(countMax: 10_000, countMaxOfOwner: 6_000)
        for number in 0..<5_000 { #expect(turns.append(number, of: "loud") == true) }
        for number in 0..<3 { #expect(turns.append(number, of: "quiet") == true) }
        let first = (0..<6).compactMap { _ in turns.popFirst() }
        #expect(first.map(\.owner) == ["loud", "quiet", "loud", "quiet", "loud", "quiet"])
        #expect(first.map(\.element) == [0, 0, 1, 1, 2, 2])
        var rest: [Int] = []
        while let next = turns.popFirst() { rest.append(next.element) }
        #expect(rest == Array(3..<5_000) && turns.count == 0)
    }

    @Test func `turns are bounded as a whole and for each owner`() {
        var turns = TenantTurns<Int>(countMax: 5, countMaxOfOwner: 3)
        #expect((0..<4).map { turns.append($0, of: "a") } == [true, true, true, false])
        #expect((0..<3).map { turns.append($0, of: "b") } == [true, true, false])
    }
}

struct RetryDelayTests {
    @Test func `waits double up to Apple's fifteen minutes`() {
        let delay = RetryDelay(serverErrorWaitSeconds: 30)
        let waits = (1...8).map { delay.fullWait(attemptCount: $0, cause: .server, lane: .normal) }
        #expect(waits == [30, 60, 120, 240, 480, 900, 900, 900].map { .seconds($0) })
        #expect(delay.fullWait(attemptCount: 1, cause: .server, lane: .urgent) == .seconds(1))
        #expect(delay.fullWait(attemptCount: 1, cause: .server, lane: .background) == .seconds(900))
        #expect(delay.fullWait(attemptCount: .max, cause: .limit, lane: .normal) == .seconds(900))
    }

    @Test func `whatever is drawn, a retry is later than now, within the wait and before the expiration`() {
        var random = SeededRandom(seed: RunSeed.here())
        let delay = RetryDelay()
        for _ in 0..<20_000 {
            let now = Timestamp(milliseconds: UInt64.random(in: 0...4_000_000_000_000, using: &random))
            let deadline = now.advanced(by: .milliseconds(Int64.random(in: -10...2_000_000, using: &random)))
            let count = Int.random(in: 1...100, using: &random)
            let lane = Lane.allCases.randomElement(using: &random) ?? .normal
            let due = delay.due(
                attemptCount: count,
                cause: .server,
                lane: lane,
                jitter: Double.random(in: 0..<1, using: &random),
                now: now,
                deadline: deadline
            )
            if let due {
                #expect(due > now && due < deadline && due.duration(since: now) <= RetryDelay.ceiling)
            } else {
                #expect(deadline.duration(since: now) <= RetryDelay.lastTry)
            }
        }
    }

    @Test func `many that failed at once do not come back at once`() {
        let delay = RetryDelay()
        let dues = (0..<10).map {
            delay.due(
                attemptCount: 4,
                cause: .server,
                lane: .normal,
                jitter: Double($0) / 10,
                now: Timestamp(milliseconds: 0),
                deadline: Timestamp(milliseconds: .max)
            )
        }
        #expect(Set(dues).count == 10)
    }
}

struct DispatchRulesTests {
    private let rules = DispatchRules(RetryDelay())

    private func decide(
        _ result: AttemptResult,
        attempt: Int = 1,
        max: Int? = nil,
        collapses: Bool = true,
        deadline: UInt64 = 10_000_000,
        hadExpiredToken: Bool = false,
        lastWait: Duration = .zero
    ) -> Decision {
        let context = AttemptContext(
            lane: .normal,
            attemptCount: attempt,
            attemptLimit: max,
            hasCollapseID: collapses,
            deadline: Timestamp(milliseconds: deadline),
            hadExpiredProviderToken: hadExpiredToken,
            lastWait: lastWait
        )
        return rules.decide(result, context, now: Timestamp(milliseconds: 1_000), jitter: 0)
    }

    private func answer(_ reason: Reason) -> AttemptResult {
        let timestamp = reason.hasTimestamp ? Timestamp(milliseconds: 777) : nil
        return .answered(status: reason.status, reason: reason, timestamp: timestamp)
    }

    private func retry(at milliseconds: UInt64) -> Verdict { .retry(at: Timestamp(milliseconds: milliseconds)) }

    @Test func `each reason of Apple's has its row`() {
        for reason in Reason.allCases {
            let decision = decide(answer(reason))
            switch reason {
            case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders,
                .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed,
                .payloadTooLarge:
                #expect(decision.notification == .dead(.rejected))
                #expect(decision.device == .keep && decision.lane == .alarm)
            case .badDeviceToken:
                #expect(decision.notification == .dead(.rejected))
                #expect(decision.device == .quarantine && decision.lane == .breaker)
            case .deviceTokenNotForTopic:
                #expect(decision.notification == .dead(.rejected) && decision.device == .deletePair)
            case .unregistered, .expiredToken:
                #expect(
                    decision.notification == .dead(.undeliverable)
                        && decision.device == .deleteIfRegisteredBy(Timestamp(milliseconds: 777))
                )
            case .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken,
                .missingProviderToken, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
                #expect(decision.notification == .park && decision.lane == .suspend)
            case .tooManyProviderTokenUpdates:
                #expect(decision.notification == retry(at: 2_000))
                #expect(decision.lane == .freezeProviderToken)
            case .tooManyRequests:
                #expect(decision.notification == retry(at: 2_000))
                #expect(decision.device == .slowDown(.seconds(4)))
            case .internalServerError, .serviceUnavailable:
                #expect(decision.notification == retry(at: 16_000))
                #expect(decision.device == .keep)
            case .idleTimeout, .shutdown, .unrelatedKeyIDInToken, .expiredProviderToken:
                #expect(decision.notification == retry(at: 1_500))
            }
        }
    }

    @Test func `a 200 is the end and worth a date`() {
        let decision = decide(.answered(status: 200, reason: nil, timestamp: nil))
        #expect(decision == Decision(notification: .accepted, device: .markReached, lane: .keep))
    }

    @Test func `a 410 without a time deletes nobody`() {
        let decision = decide(.answered(status: 410, reason: .unregistered, timestamp: nil))
        #expect(decision.notification == .dead(.undeliverable) && decision.device == .keep)
    }

    @Test func `an unclear outcome is sent again only where it cannot be shown twice`() {
        #expect(decide(.ambiguous).notification == retry(at: 1_500))
        #expect(decide(.ambiguous, collapses: false).notification == .dead(.outcomeUnknown))
        #expect(
            decide(.notProcessed, collapses: false).notification
                == retry(at: 1_500)
        )
    }

    @Test func `attempts end where they are counted, and with the expiration`() {
        #expect(decide(answer(.serviceUnavailable), attempt: 2, max: 3).notification != .dead(.attemptsExhausted))
        #expect(decide(answer(.serviceUnavailable), attempt: 3, max: 3).notification == .dead(.attemptsExhausted))
        #expect(decide(answer(.serviceUnavailable), deadline: 1_500).notification == retry(at: 1_500))
        #expect(decide(.suspended, deadline: 999).notification == retry(at: 999))
        #expect(decide(.suspended).notification == .park)
    }

    @Test func `an unclear outcome that is the last says so, whatever there is no more of`() {
        #expect(decide(.ambiguous, attempt: 3, max: 3).notification == .dead(.outcomeUnknown))
        #expect(decide(.ambiguous, deadline: 1_500).notification == .dead(.outcomeUnknown))
        #expect(decide(.notProcessed, attempt: 3, max: 3).notification == .dead(.attemptsExhausted))
        #expect(decide(.notProcessed, deadline: 1_500).notification == retry(at: 1_500))
    }

    @Test func `what was not written uses up no attempt, and waits twice as long each time`() {
        var waits: [Duration] = []
        var last = Duration.zero
        for _ in 0..<14 {
            let verdict = decide(.notWritten, attempt: 3, max: 3, collapses: false, lastWait: last).notification
            guard case .retry(let time) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            // The longest wait, without the random shortening.
            last = time.duration(since: Timestamp(milliseconds: 1_000)) * 2
            waits.append(last)
        }
        #expect(
            Array(waits.prefix(4)) == [1, 2, 4, 8].map { Duration.seconds($0) } && waits.last == RetryDelay.ceiling
        )
        #expect(
            decide(.notWritten, lastWait: .seconds(1 << 40)).notification
                == retry(at: 451_000)
        )
        #expect(decide(.notWritten, deadline: 1_500).notification == retry(at: 1_500))
    }

    @Test func `a provider token that expires twice parks the notification`() {
        #expect(decide(answer(.expiredProviderToken), hadExpiredToken: true).notification == .park)
    }

    @Test func `a reason with a status that is not its own is decided by the status`() {
        let unknown = decide(.answered(status: 503, reason: .badDeviceToken, timestamp: nil))
        #expect(
            unknown.device == .keep && unknown.notification == retry(at: 16_000)
        )
    }
}

struct TokenQuarantineTests {
    private func place(
        _ environment: APNSEnvironment = .production,
        of tenant: String = "acme"
    ) -> TokenQuarantine.Place {
        TokenQuarantine.Place(tenant: .named(tenant), bundleID: .named("com.example.chat"), environment: environment)
    }

    @Test func `bad tokens among many good ones are their own fault`() {
        var quarantine = TokenQuarantine()
        let place = place()
        for index in 0..<1_000 {
            #expect(quarantine.didAnswer(at: place, isFailure: index % 50 == 0, now: 1_000) == false)
        }
        #expect(!quarantine.isSuspected(place))
    }

    @Test func `many bad tokens of one app accuse the environment, once`() {
        var quarantine = TokenQuarantine()
        let place = place()
        let alarms = (0..<100).filter { _ in quarantine.didAnswer(at: place, isFailure: true, now: 1_000) }
        #expect(alarms == [TokenQuarantine.failureCountMin - 1])
        #expect(quarantine.isSuspected(place))
        #expect(!quarantine.isSuspected(self.place(.sandbox)))
        #expect(!quarantine.isSuspected(self.place(of: "rival")))
        quarantine.clear(place)
        #expect(!quarantine.isSuspected(place))
    }

    @Test func `failures that are hours apart do not add up`() {
        var quarantine = TokenQuarantine()
        let place = place()
        for hour in 0..<200 {
            let now = Int64(hour) * 2 * TokenQuarantine.windowMilliseconds
            #expect(quarantine.didAnswer(at: place, isFailure: true, now: now) == false)
        }
    }
}

struct NotificationClassTests {
    @Test func `each class is a push that Apple takes`() {
        for notificationClass in NotificationClass.allCases {
            #expect(notificationClass.pushType.expects(notificationClass.priority))
            #expect(notificationClass.expirySeconds.contains(notificationClass.defaultExpirySeconds))
            #expect(notificationClass.pushClass.payloadByteCountMax == notificationClass.pushType.payloadByteCountMax)
        }
        #expect(NotificationClass.call.lane == .urgent && NotificationClass.background.lane == .background)
        #expect(NotificationClass.allCases.filter(\.hasFallback) == [.call, .urgent])
    }

    @Test func `a word is one id for each device, and no two devices share one`() {
        let key = CollapseKey(SecretBytes(byteCount: 32) { _ in })
        let id = APNSID(randomBytes: Array(1...16))
        func made(_ device: String, _ word: String?, tenant: String = "t", id: APNSID = id) -> CollapseID? {
            key.collapseID(for: .normal, id: id, tenant: .named(tenant), device: .named(device), word: word)
        }
        let other = APNSID(randomBytes: Array(2...17))
        let all = [
            made("a", "w"), made("b", "w"), made("a", "v"), made("a", nil), made("a", nil, id: other),
            made("a", "w", tenant: "u"),
            made("ab", "w"), made("b", "w", tenant: "ta"),
        ]
        #expect(Set(all).count == all.count && !all.contains(nil))
        #expect(made("a", "w", id: other) == made("a", "w"))
        #expect(made("a", nil) == made("a", nil))
        for (word, isShared) in [(nil, false), ("w", true)] {
            let made = made("a", word)
            #expect(made.map { key.mayBeShared($0, id: id, tenant: .named("t"), device: .named("a")) } == isShared)
        }
        #expect(key.collapseID(for: .call, id: id, tenant: .named("t"), device: .named("a"), word: nil) == nil)
    }
}
