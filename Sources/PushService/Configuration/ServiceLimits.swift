import Envelope
import ServiceParts

/// Bounds of everything that grows with external input.
package struct ServiceLimits: Equatable, Sendable {
    package var bodyByteCountMax = 8 * 1_024 * 1_024
    package var recipientCountMax = 1_000
    package var receiptCountMax = 256
    package var requestDeadlineSeconds = 30
    /// Time from an answer to its last byte taken.
    package var responseDeadlineSeconds = 30
    package var handshakeDeadlineSeconds = 10
    /// Time without a request.
    package var idleDeadlineSeconds = 120
    package var connectionCountMax = 4_096
    /// Connections of an IPv4 address, or an IPv6 network of 56 bits.
    package var connectionCountOfAddressMax = 256
    package var loopbackConnectionCountMax = 64
    /// HTTP/2: unanswered requests of one connection.
    package var streamCountMax = 256
    /// Rate of one address, of requests without a valid key.
    package var requestsPerSecondOfAddress = 100
    package var pushesPerMinuteOfDevice = 60
    package var pushBurstOfDevice = 20
    /// Rows for device buckets, and as many for addresses.
    package var bucketCountMax = 200_000
    package var inFlightCountMax = 4_000
    /// Of each credential and environment, over all relays.
    package var connectionCountToApple = 16
    /// Submissions of one tenant alone (`SharedSlots`). At 20,000 a second these wait for 25 ms; more would only wait
    /// longer.
    package var openRequestCountMax = 500
    /// Notifications of one tenant in one queue, alone there (`SharedSlots`).
    package var backlogCountMax = 1_000_000
    /// First wait of a normal notification after a 5xx.
    package var serverErrorWaitSeconds = 30
    package var retentionDays = 7
    package var drainSeconds = 10

    package init() {}

    struct Setting: Sendable {
        let name: String
        let text: String
        let range: ClosedRange<Int64>
        let path: any (WritableKeyPath<ServiceLimits, Int> & Sendable)
    }

    static let settings: [Setting] = [
        Setting(
            name: "body-bytes",
            text: "bytes of one request's body",
            range: 16_384...67_108_864,
            path: \.bodyByteCountMax
        ),
        Setting(
            name: "recipients",
            text: "recipients of one request",
            range: 1...1_000,
            path: \.recipientCountMax
        ),
        Setting(name: "receipts", text: "receipts of one request", range: 1...4_096, path: \.receiptCountMax),
        Setting(
            name: "request-seconds",
            text: "from a request's first byte to its last",
            range: 1...300,
            path: \.requestDeadlineSeconds
        ),
        Setting(
            name: "answer-seconds",
            text: "from an answer to its last byte taken",
            range: 1...300,
            path: \.responseDeadlineSeconds
        ),
        Setting(
            name: "handshake-seconds",
            text: "from a connection to the end of its TLS handshake",
            range: 1...120,
            path: \.handshakeDeadlineSeconds
        ),
        Setting(
            name: "idle-seconds",
            text: "of a connection without a request",
            range: 5...3_600,
            path: \.idleDeadlineSeconds
        ),
        Setting(name: "connections", text: "at one time", range: 1...100_000, path: \.connectionCountMax),
        Setting(
            name: "connections-of-address",
            text: "of one client's address at one time",
            range: 1...100_000,
            path: \.connectionCountOfAddressMax
        ),
        Setting(
            name: "loopback-connections",
            text: "over the loopback port at one time",
            range: 1...100_000,
            path: \.loopbackConnectionCountMax
        ),
        Setting(
            name: "requests-of-connection",
            text: "of one HTTP/2 connection that have no answer",
            range: 1...10_000,
            path: \.streamCountMax
        ),
        Setting(
            name: "requests-per-second-of-address",
            text: "of one client's address",
            range: 1...1_000_000,
            path: \.requestsPerSecondOfAddress
        ),
        Setting(
            name: "pushes-per-minute-of-device",
            text: "to one device, in the long run",
            range: 1...60_000,
            path: \.pushesPerMinuteOfDevice
        ),
        Setting(
            name: "push-burst-of-device",
            text: "to one device, at once after a rest",
            range: 1...1_000,
            path: \.pushBurstOfDevice
        ),
        Setting(
            name: "buckets",
            text: "devices, and addresses, whose rates are counted apart",
            range: 1_000...10_000_000,
            path: \.bucketCountMax
        ),
        Setting(
            name: "in-flight",
            text: "pushes that await Apple's answer",
            range: 16...100_000,
            path: \.inFlightCountMax
        ),
        Setting(
            name: "connections-to-apple",
            text: "of one credential and environment at one time, over all relays",
            range: 1...4_096,
            path: \.connectionCountToApple
        ),
        Setting(
            name: "open-requests",
            text: "submissions of one tenant that await their answer while no other has any",
            range: 16...100_000,
            path: \.openRequestCountMax
        ),
        Setting(
            name: "backlog",
            text: "notifications of one tenant that wait in one lane while no other has any there",
            range: 1_000...100_000_000,
            path: \.backlogCountMax
        ),
        Setting(
            name: "server-error-seconds",
            text: "the first wait of a normal notification after a 5xx",
            range: 1...900,
            path: \.serverErrorWaitSeconds
        ),
        Setting(
            name: "retention-days",
            text: "for which a state can be queried",
            range: 1...90,
            path: \.retentionDays
        ),
        Setting(name: "drain-seconds", text: "after SIGTERM", range: 1...10, path: \.drainSeconds),
    ]

    mutating func read(_ reader: ObjectReader) {
        for setting in Self.settings {
            guard let number = reader.integer(setting.name, in: setting.range) else { continue }
            self[keyPath: setting.path] = Int(number)
        }
    }
}
