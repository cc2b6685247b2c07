extension SimulatorSetting {
    /// How provider connections are treated.
    static let connections: [SimulatorSetting] = [
        .flag(
            "one-stream-at-first",
            \.startsWithOneStream,
            "one stream until the first push of a connection was accepted",
            source: "Apple, for provider tokens"
        ),
        .number(
            "streams",
            \.streamCountMax,
            in: 1...100_000,
            "how many streams a connection may have open at once",
            source: "observed: 1000 today, 500 in 2016"
        ),
    ]
}
