import APNS
import PushStore

/// Prometheus text, appended to one array without a String for each line.
///
/// - Source: Prometheus, "Exposition formats", text format 0.0.4.
extension ServiceMetrics {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Reusing `text` between scrapes saves the allocation.
    package func append(to text: inout [UInt8], unixSeconds: Int64) {
        series(&text, "sealedpush_accepted_total", "counter", "Notifications accepted and stored.") { text in
            Self.byAppAndLane(&text, "sealedpush_accepted_total", apps, accepted)
        }
        series(&text, "sealedpush_sent_total", "counter", "Attempts started.") { text in
            Self.byAppAndLane(&text, "sealedpush_sent_total", apps, sent)
        }
        series(
            &text,
            "sealedpush_outcomes_total",
            "counter",
            "Attempts that ended, by Apple's reason or another cause."
        ) { text in
            for outcome in Outcome.allCases {
                Self.line(
                    &text,
                    "sealedpush_outcomes_total",
                    [("reason", outcome.rawValue)],
                    outcomes[Self.index(outcome)]
                )
            }
            for reason in Reason.allCases {
                Self.line(&text, "sealedpush_outcomes_total", [("reason", reason.rawValue)], reasons[reason] ?? 0)
            }
        }
        series(&text, "sealedpush_refused_total", "counter", "Requests refused, by cause.") { text in
            for refusal in Rejection.allCases {
                Self.line(&text, "sealedpush_refused_total", [("why", refusal.rawValue)], refusals[Self.index(refusal)])
            }
        }
        single(
            &text,
            "sealedpush_recipients_rejected_total",
            "counter",
            "Recipients that partial submissions left out.",
            rejectedRecipients
        )
        single(
            &text,
            "sealedpush_receipts_awaited_total",
            "counter",
            "Notifications that asked for a receipt.",
            receiptsAwaited
        )
        single(&text, "sealedpush_receipts_total", "counter", "Valid receipts.", receipts)
        series(&text, "sealedpush_fallbacks_total", "counter", "Fallbacks that ended, by outcome.") { text in
            for end in FallbackEnd.allCases {
                Self.line(&text, "sealedpush_fallbacks_total", [("outcome", end.rawValue)], fallbacks[Self.index(end)])
            }
        }
        single(
            &text,
            "sealedpush_fallback_age_seconds",
            "gauge",
            "Seconds by which the oldest fallback is overdue.",
            UInt64(max(0, fallbackAgeSeconds))
        )
        byLane(&text, "sealedpush_queue_depth", "Notifications waiting.", queueDepth)
        byLane(&text, "sealedpush_queue_age_seconds", "Age of the oldest waiting notification.", queueAge)
        single(
            &text,
            "sealedpush_suspensions",
            "gauge",
            "Credentials, and apps of one, that Apple refuses.",
            UInt64(max(0, suspensionCount))
        )
        let help: StaticString = "Notifications of this day in UTC, by app, region and outcome."
        series(&text, "sealedpush_delivery_today", "gauge", help) { text in
            for (place, counts) in deliveries.sorted(by: { $0.key < $1.key }) {
                for (what, count) in [
                    ("accepted", counts.accepted), ("sent", counts.sent), ("received", counts.received),
                    ("undeliverable", counts.undeliverable),
                ] {
                    Self.line(
                        &text,
                        "sealedpush_delivery_today",
                        [("topic", place.app), ("region", place.region), ("what", what)],
                        UInt64(max(0, count))
                    )
                }
            }
        }
        if let age = providerTokenAgeSeconds {
            single(
                &text,
                "sealedpush_provider_token_age_seconds",
                "gauge",
                "Age of the oldest provider token in use.",
                UInt64(max(0, age))
            )
        }
        if let days = certificatesEnd.map({ Self.days(from: unixSeconds, to: $0) }) {
            series(&text, "sealedpush_certificate_days_left", "gauge", "Days until the first certificate expires.") {
                text in
                text += "sealedpush_certificate_days_left ".utf8
                text += String(days).utf8
                text.append(UInt8(ascii: "\n"))
            }
        }
        histogram(&text, "sealedpush_accept_seconds", "Time from a request to its 202.", acceptLatency)
        histogram(&text, "sealedpush_apns_seconds", "Time from an attempt to Apple's answer.", answerLatency)
    }

    private func series(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ type: StaticString,
        _ help: StaticString,
        _ lines: (inout [UInt8]) -> Void
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8
        lines(&text)
    }

    private func single(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ type: StaticString,
        _ help: StaticString,
        _ value: UInt64
    ) {
        series(&text, name, type, help) { Self.line(&$0, name, [], value) }
    }

    private func byLane(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ help: StaticString,
        _ counts: LaneScheduler.Counts
    ) {
        series(&text, name, "gauge", help) { text in
            for lane in Lane.allCases {
                Self.line(&text, name, [("lane", lane.word)], UInt64(max(0, counts[lane])))
            }
        }
    }

    /// Leaves out zeros, which help nobody in a thousand apps.
    private static func byAppAndLane(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ apps: [String],
        _ values: [UInt64]
    ) {
        for (index, app) in apps.enumerated() {
            for (offset, lane) in Lane.allCases.enumerated() {
                let value = values[index * Lane.allCases.count + offset]
                if value > 0 { line(&text, name, [("topic", app), ("lane", lane.word)], value) }
            }
        }
    }

    private func histogram(_ text: inout [UInt8], _ name: StaticString, _ help: StaticString, _ histogram: Histogram) {
        series(&text, name, "histogram", help) { text in
            var sum: UInt64 = 0
            for (bound, count) in zip(Histogram.boundTexts, histogram.counts) {
                sum &+= count
                Self.line(&text, name, suffix: "_bucket", [("le", bound)], sum)
            }
            Self.line(&text, name, suffix: "_bucket", [("le", "+Inf")], histogram.count)
            text += "\(name)_sum ".utf8
            Self.append(histogram.sumMicroseconds / 1_000_000, to: &text)
            text.append(UInt8(ascii: "."))
            var divisor: UInt64 = 100_000
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(histogram.sumMicroseconds / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: "\n"))
            Self.line(&text, name, suffix: "_count", [], histogram.count)
        }
    }

    private static func line(
        _ text: inout [UInt8],
        _ name: StaticString,
        suffix: StaticString = "",
        _ labels: [(StaticString, String)],
        _ value: UInt64
    ) {
        append(name, to: &text)
        append(suffix, to: &text)
        for (index, label) in labels.enumerated() {
            text.append(UInt8(ascii: index == 0 ? "{" : ","))
            append(label.0, to: &text)
            text += "=\"".utf8
            // Characters that need escapes are dropped; no label has them.
            text += label.1.utf8.filter { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 < 0x7F }
            text.append(UInt8(ascii: "\""))
        }
        if !labels.isEmpty { text.append(UInt8(ascii: "}")) }
        text.append(UInt8(ascii: " "))
        append(value, to: &text)
        text.append(UInt8(ascii: "\n"))
    }

    private static func append(_ word: StaticString, to text: inout [UInt8]) { text += word.description.utf8 }

    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }
}
