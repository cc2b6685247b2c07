package struct ControlSettings: Sendable {
    /// Keeps events only if true.
    package var isOn = false
    package var journalCountMax = 10_000

    package init() {}
}

extension SimulatorSetting {
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
