import TestSupport

/// Sections 6.5, 6.7 and 6.8: SETTINGS, PING and GOAWAY.
extension ConformanceCase {
    static let acknowledgement = RawFrame(type: 4, flags: 1, stream: 0, payload: [])

    static let settings = [
        ConformanceCase(
            "6.5",
            "acknowledges SETTINGS with a payload",
            [RawFrame.frame(type: 4, flags: 1, stream: 0, [0])],
            .connectionError([.frameSizeError])
        ),
        ConformanceCase(
            "6.5",
            "sends SETTINGS on a stream",
            [RawFrame.frame(type: 4, flags: 0, stream: 1, [0, 3, 0, 0, 0, 100])],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.5",
            "sends SETTINGS of 3 bytes",
            [RawFrame.frame(type: 4, flags: 0, stream: 0, [0, 3, 0])],
            .connectionError([.frameSizeError, .protocolError])
        ),

        ConformanceCase(
            "6.5.2",
            "sets SETTINGS_INITIAL_WINDOW_SIZE to 2^31",
            [settings(4, 1 << 31)],
            .connectionError([.flowControlError])
        ),
        ConformanceCase(
            "6.5.2",
            "sets SETTINGS_MAX_FRAME_SIZE below 2^14",
            [settings(5, (1 << 14) - 1)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.5.2",
            "sets SETTINGS_MAX_FRAME_SIZE to 2^24",
            [settings(5, 1 << 24)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.5.2",
            "sends a setting that is not defined",
            [settings(0xFF, 1)],
            .acknowledges
        ),

        ConformanceCase("6.5.3", "sends SETTINGS", [settings(2, 0)], .acknowledges),
    ]

    static let pingAndGoAway = [
        ConformanceCase("6.7", "sends PING", [ping("the ping")], .answersPing("the ping")),
        // Every case checks that there is no answer: one to an unsolicited ACK would fail it.
        ConformanceCase("6.7", "sends PING with ACK", [ping("nobody's", flags: 1)], .goesOn),
        ConformanceCase(
            "6.7",
            "sends PING on a stream",
            [ping("a stream", stream: 1)],
            .connectionError([.protocolError])
        ),
        ConformanceCase("6.7", "sends PING of 6 bytes", [ping("sixsix")], .connectionError([.frameSizeError])),

        ConformanceCase(
            "6.8",
            "sends GOAWAY on a stream",
            [RawFrame.frame(type: 7, flags: 0, stream: 1, [UInt8](repeating: 0, count: 8))],
            .connectionError([.protocolError])
        ),
    ]
}
