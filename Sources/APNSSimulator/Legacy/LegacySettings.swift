/// Settings of two services that can no longer be observed.
package struct LegacySettings: Sendable {
    /// From the error packet to the connection's end, while input is discarded: sooner, the client's machine would drop
    /// the packet.
    package var drain: Duration? = .seconds(10)
    /// Time without a byte in either direction.
    package var idle: Duration? = .seconds(3600)
    /// For each port.
    package var connectionCountMax = 1024
    /// For priority 10 with `content-available` and nothing to show; 0 accepts it.
    package var contentAvailableStatus: UInt8 = 1
    /// For a payload that is not a JSON object; 0 accepts it.
    package var unreadablePayloadStatus: UInt8 = 1
    package var feedbackCountMax = 1_000_000

    package init() {}
}

extension SimulatorSetting {
    static let legacy: [SimulatorSetting] = [
        .seconds(
            "gateway-drain",
            \.legacy.drain,
            "the time for which input is discarded after an error packet; never: without end",
            source: "ours: java-apns' test server waits too"
        )
        .applying(to: .connections),
        .seconds(
            "gateway-idle",
            \.legacy.idle,
            "the time for which a connection of the binary interface may be silent",
            source: "ours: Apple asked to keep connections open"
        )
        .applying(to: .connections),
        .number(
            "gateway-connections",
            \.legacy.connectionCountMax,
            in: 1...100_000,
            "the connections of the gateway and of the feedback service, each",
            source: "ours"
        )
        .applying(to: .connections),
        .number(
            "gateway-content-available-status",
            \.legacy.contentAvailableStatus,
            in: 0...255,
            "the status for priority 10 with content-available alone; 0 takes it",
            source: "Apple calls it an error and names no status: processing error"
        ),
        .number(
            "gateway-unreadable-payload-status",
            \.legacy.unreadablePayloadStatus,
            in: 0...255,
            "the status for a payload that is no JSON object; 0 takes it",
            source: "Apple asks for JSON and names no status: processing error"
        ),
        .number(
            "feedback-tokens",
            \.legacy.feedbackCountMax,
            in: 0...100_000_000,
            "the device tokens that the feedback list keeps; later ones are dropped",
            source: "ours: a list that is never read must not grow without end"
        ),
    ]
}
