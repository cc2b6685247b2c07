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
            "the newest events that the control API keeps",
            source: "ours: about 3 MB when full and read; unread, each push keeps its payload"
        )
    ]
}
