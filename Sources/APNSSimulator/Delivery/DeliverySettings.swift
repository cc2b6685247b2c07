/// Settings for which Apple publishes no numbers.
package struct DeliverySettings: Sendable, Equatable {
    /// Condition for grouping pushes of priority 5 and 1.
    package enum Grouping: String, Sendable, CaseIterable {
        case never
        case lowPower = "low-power"
        case always
    }

    /// Storage of a push without `apns-expiration`.
    package var storageDays: Int64 = 30
    /// Pushes this close may replace each other in any order, and groups are shuffled; 0: neither.
    package var reorderMilliseconds: Int64 = 0
    package var grouping = Grouping.lowPower
    /// From a group's first push until it is sent.
    package var groupSeconds: Int64 = 60
    /// At this size a group is sent at once.
    package var groupCountMax = 16
    /// 0: no limit.
    package var backgroundsPerHour = 3
    /// Alerts with sound and light within `alertBurstSeconds`. 0: no limit.
    package var alertsPerBurst = 0
    package var alertBurstSeconds: Int64 = 10
    /// Rate for one device token. 0: no limit.
    package var tokenRequestsPerMinute: Int64 = 0
    /// Pushes allowed at once before the rate applies.
    package var tokenBurst: Int64 = 100
    /// Longest time from failed delivery to 410, random for each token.
    package var lateInvalidationSeconds: Int64 = 0
    package var logEntryCountMax = 100_000
    package var logDays: Int64 = 7
    package var seed: UInt64 = 1

    package init() {}
}

extension SimulatorSetting {
    static let delivery: [SimulatorSetting] =
        [
            .number(
                "storage-days",
                \.delivery.storageDays,
                in: 0...3650,
                "the time that a push without apns-expiration may wait for its device",
                source: "Apple: up to 30 days"
            ),
            .number(
                "reorder-milliseconds",
                \.delivery.reorderMilliseconds,
                in: 0...86_400_000,
                "the time within which a newer push may overtake an older one, by the seed; 0: never",
                source: "Apple: the order of a short burst is not guaranteed; off, so that tests repeat"
            ),
            .choice(
                "group-low-priority",
                \.delivery.grouping,
                "the pushes of priority 5 and 1 that are gathered and sent together",
                source: "Apple: they may be grouped and delivered in bursts; the choice is ours"
            ),
            .number(
                "group-seconds",
                \.delivery.groupSeconds,
                in: 0...86_400,
                "the time for which such a group gathers",
                source: "ours"
            ),
            .number(
                "group-size",
                \.delivery.groupCountMax,
                in: 1...64,
                "the most pushes of a group; it is sent when it is full",
                source: "ours"
            ),
            .number(
                "background-pushes-per-hour",
                \.delivery.backgroundsPerHour,
                in: 0...1000,
                "the background pushes that an app gets in an hour; the newest further one waits; 0: all",
                source: "Apple: no more than two or three per hour"
            ),
        ] + rates + records

    private static let rates: [SimulatorSetting] = [
        .number(
            "alerts-per-burst",
            \.delivery.alertsPerBurst,
            in: 0...1000,
            "the alerts that a device shows in a burst; further ones arrive passive; 0: all",
            source: "ours: off"
        ),
        .number(
            "alert-burst-seconds",
            \.delivery.alertBurstSeconds,
            in: 1...3600,
            "the length of such a burst",
            source: "ours"
        ),
        .number(
            "token-pushes-per-minute",
            \.delivery.tokenRequestsPerMinute,
            in: 0...60_000,
            "the pushes that one device token may get in a minute before TooManyRequests; 0: any number",
            source: "Apple names the reason and no number: off"
        ),
        .number(
            "token-burst",
            \.delivery.tokenBurst,
            in: 1...100_000,
            "the pushes that one device token may get at once before its rate counts",
            source: "ours"
        ),
    ]

    private static let records: [SimulatorSetting] = [
        .number(
            "late-invalidation-seconds",
            \.delivery.lateInvalidationSeconds,
            in: 0...31_536_000,
            "the longest time from the first push to an app that is gone until its token is answered 410, by the seed",
            source: "observed: days, and fuzzy on purpose; 0, so that tests need not wait"
        ),
        .number(
            "delivery-log-entries",
            \.delivery.logEntryCountMax,
            in: 0...10_000_000,
            "the pushes that the delivery log keeps",
            source: "ours"
        ),
        .number(
            "delivery-log-days",
            \.delivery.logDays,
            in: 0...3650,
            "the time for which the delivery log keeps a push",
            source: "Apple: 7 days"
        ),
        .number(
            "delivery-seed",
            \.delivery.seed,
            in: 0 ... .max,
            "the seed of reordering and of late invalidation",
            source: "ours"
        ),
    ]
}
