/// How the control API works. Our choices, all of them: Apple has no such thing.
package struct ControlSettings: Sendable {
    /// Whether anybody can ask: without it events are not kept.
    package var isOn = false
    /// Events that `GET /v1/log` can still tell.
    package var journalCountMax = 10_000

    package init() {}
}

extension SimulatorSetting {
    /// What the control API remembers.
    static let control: [SimulatorSetting] = [
        .number(
            "journal-events",
            \.control.journalCountMax,
            in: 1...1_000_000,
            "how many events the control API can still tell, the newest",
            source: "ours: about 3 MB when full and read; unread, each push keeps its payload"
        )
    ]
}
