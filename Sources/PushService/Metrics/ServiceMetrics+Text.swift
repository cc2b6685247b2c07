import APNS
import PushStore
import ServiceParts

extension ServiceMetrics {
    /// Reusing `text` saves the allocation.
    package func append(to text: inout [UInt8]) {
        MetricsText.build(&text, "sealedpush_build_info")
        MetricsText.series(&text, "sealedpush_accepted_total", "counter", "Notifications accepted and stored.") {
            text in
            byAppAndLane(&text, "sealedpush_accepted_total", \.accepted)
        }
        MetricsText.series(&text, "sealedpush_sent_total", "counter", "Attempts started.") { text in
            byAppAndLane(&text, "sealedpush_sent_total", \.sent)
        }
        MetricsText.series(
            &text,
            "sealedpush_outcomes_total",
            "counter",
            "Attempts that ended, by app and Apple's reason or another cause."
        ) { text in
            for (app, counts) in zip(apps, counts) {
                for (index, outcome) in Outcome.allCases.enumerated() {
                    outcomeLine(&text, app, outcome.rawValue, counts.outcomes[index])
                }
                for reason in Reason.allCases {
                    outcomeLine(&text, app, reason.rawValue, counts.reasons[reason] ?? 0)
                }
            }
        }
        MetricsText.series(&text, "sealedpush_refused_total", "counter", "Requests refused, by cause.") { text in
            for refusal in Rejection.allCases {
                MetricsText.line(
                    &text,
                    "sealedpush_refused_total",
                    [("why", refusal.rawValue)],
                    refusals[Self.index(refusal)]
                )
            }
        }
        MetricsText.single(
            &text,
            "sealedpush_recipients_rejected_total",
            "counter",
            "Recipients that partial submissions left out.",
            rejectedRecipients
        )
        MetricsText.single(
            &text,
            "sealedpush_commits_uncertain_total",
            "counter",
            "Requests that the store may have kept or not.",
            uncertainCommits
        )
        MetricsText.single(
            &text,
            "sealedpush_receipts_awaited_total",
            "counter",
            "Notifications that asked for a receipt.",
            receiptsAwaited
        )
        MetricsText.single(&text, "sealedpush_receipts_total", "counter", "Valid receipts.", receipts)
        MetricsText.series(&text, "sealedpush_fallbacks_total", "counter", "Fallbacks that ended, by outcome.") {
            text in
            for end in FallbackEnd.allCases {
                MetricsText.line(
                    &text,
                    "sealedpush_fallbacks_total",
                    [("outcome", end.rawValue)],
                    fallbacks[Self.index(end)]
                )
            }
        }
        MetricsText.single(
            &text,
            "sealedpush_fallback_age_seconds",
            "gauge",
            "Seconds by which the oldest fallback is overdue.",
            UInt64(max(0, fallbackAgeSeconds))
        )
        byLane(&text, "sealedpush_queue_depth", "Notifications waiting.", queueDepth)
        byLane(&text, "sealedpush_queue_age_seconds", "Age of the oldest waiting notification.", queueAge)
        MetricsText.single(
            &text,
            "sealedpush_suspensions",
            "gauge",
            "Credentials, and apps of one, that Apple refuses.",
            UInt64(max(0, suspensionCount))
        )
        let help: StaticString = "Notifications of this day in UTC, by app, region and outcome."
        MetricsText.series(&text, "sealedpush_delivery_today", "gauge", help) { text in
            for (place, counts) in deliveries.sorted(by: { $0.key < $1.key }) {
                for (what, count) in [
                    ("accepted", counts.accepted), ("sent", counts.sent), ("received", counts.received),
                    ("undeliverable", counts.undeliverable),
                ] {
                    MetricsText.line(
                        &text,
                        "sealedpush_delivery_today",
                        [("topic", place.app), ("region", place.region), ("what", what)],
                        UInt64(max(0, count))
                    )
                }
            }
        }
        if let age = providerTokenAgeSeconds {
            MetricsText.single(
                &text,
                "sealedpush_provider_token_age_seconds",
                "gauge",
                "Age of the oldest provider token in use.",
                UInt64(max(0, age))
            )
        }
        if let end = certificatesEnd {
            MetricsText.single(
                &text,
                "sealedpush_certificate_end_timestamp_seconds",
                "gauge",
                "Time when the first certificate expires, in seconds since 1970.",
                UInt64(max(0, end))
            )
        }
        MetricsText.histogram(&text, "sealedpush_accept_seconds", "Time from a request to its 202.", acceptLatency)
        MetricsText.histogram(
            &text,
            "sealedpush_apns_seconds",
            "Time from an attempt to Apple's answer.",
            answerLatency
        )
    }

    private func byLane(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ help: StaticString,
        _ counts: LaneScheduler.Counts
    ) {
        MetricsText.series(&text, name, "gauge", help) { text in
            for lane in Lane.allCases {
                MetricsText.line(&text, name, [("lane", lane.word)], UInt64(max(0, counts[lane])))
            }
        }
    }

    /// Writes zeros too: `increase` misses a series' first step.
    private func outcomeLine(_ text: inout [UInt8], _ app: String, _ reason: String, _ value: UInt64) {
        MetricsText.line(&text, "sealedpush_outcomes_total", [("topic", app), ("reason", reason)], value)
    }

    /// Omits zeros, which help nobody in a thousand apps.
    private func byAppAndLane(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ values: KeyPath<AppCounts, [UInt64]>
    ) {
        for (app, counts) in zip(apps, counts) {
            for (lane, value) in zip(Lane.allCases, counts[keyPath: values]) where value > 0 {
                MetricsText.line(&text, name, [("topic", app), ("lane", lane.word)], value)
            }
        }
    }
}
