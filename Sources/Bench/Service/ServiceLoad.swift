package import Transport

/// What a back end asks of the relay, over and over.
package struct ServiceLoad: Sendable {
    /// What a notification carries.
    package enum Payload: String, CaseIterable, Sendable {
        /// A record of RFC 8291: the payload has 1,024 bytes.
        case small = "1k"
        /// The sealed field, of constant length.
        case sealed = "4k"
    }

    package var payload = Payload.small
    /// Notifications; a multiple of `recipientCount`.
    package var notificationCount = 100_000
    /// Of one POST.
    package var recipientCount = 1
    package var connectionCount = 4
    /// POSTs of each connection that await their answers.
    package var inFlightCount = 64
    /// Registered devices, of which each POST takes the next ones.
    package var deviceCount = 10_000
    /// Of a hundred devices so many open what they get and say so.
    package var receiptPercent = 0
    /// POSTs a second, whatever is answered; nil: the next one when one was answered.
    package var rate: Int?

    package init() {}
}

/// Where the relay is.
package struct ServiceTarget: Sendable {
    package let port: UInt16
    package let apiKey: String
    package let trust: TLSTrust

    package init(port: UInt16, apiKey: String, trust: TLSTrust) {
        self.port = port
        self.apiKey = apiKey
        self.trust = trust
    }
}

/// What a load came to.
package struct ServiceLoadReport: Sendable {
    /// Notifications.
    package var acceptedCount = 0
    /// POSTs by the status of their answers; 0: no answer.
    package var statusCounts: [Int: Int] = [:]
    /// Pushes that reached APNs, each once.
    package var deliveredCount = 0
    /// Accepted and not at APNs: only after a wait that ended without them.
    package var lostCount = 0
    /// Pushes that reached it again.
    package var duplicateCount = 0
    /// From the first POST to the last answer, and to the last push at APNs.
    package var acceptNanoseconds = 0
    package var deliveryNanoseconds = 0
    /// From POST to 202, and from 202 to APNs.
    package var acceptLatency = LatencyFigures()
    package var deliveryLatency = LatencyFigures()
}

package struct LatencyFigures: Sendable {
    package var medianNanoseconds = 0
    package var p99Nanoseconds = 0

    package init() {}

    init(_ histogram: LatencyHistogram) {
        medianNanoseconds = Int(histogram.quantile(perMille: 500))
        p99Nanoseconds = Int(histogram.quantile(perMille: 990))
    }
}
