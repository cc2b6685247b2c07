import TestSupport

/// Sections 6.5, 6.7 and 6.8: SETTINGS, PING and GOAWAY.
extension ServerConformanceCase {
    static let settingsFrames = [
        ServerConformanceCase(
            "6.5",
            "acknowledges SETTINGS with a payload",
            [RawFrame.frame(type: 4, flags: 1, stream: 0, [0])],
            .connectionError([.frameSizeError])
        ),
        ServerConformanceCase(
            "6.5",
            "sends SETTINGS on a stream",
            [RawFrame.frame(type: 4, flags: 0, stream: 1, [0, 3, 0, 0, 0, 100])],
            ended
        ),
        ServerConformanceCase(
            "6.5",
            "sends SETTINGS of 3 bytes",
            [RawFrame.frame(type: 4, flags: 0, stream: 0, [0, 3, 0])],
            .connectionError([.frameSizeError])
        ),

        ServerConformanceCase("6.5.2", "sets SETTINGS_ENABLE_PUSH to 2", [settings(2, 2)], ended),
        ServerConformanceCase("6.5.2", "sets SETTINGS_ENABLE_PUSH to 1", [settings(2, 1)], .acknowledges),
        ServerConformanceCase(
            "6.5.2",
            "sets SETTINGS_INITIAL_WINDOW_SIZE to 2^31",
            [settings(4, 1 << 31)],
            .connectionError([.flowControlError])
        ),
        ServerConformanceCase(
            "6.5.2",
            "sets SETTINGS_MAX_FRAME_SIZE below 2^14",
            [settings(5, (1 << 14) - 1)],
            ended
        ),
        ServerConformanceCase("6.5.2", "sets SETTINGS_MAX_FRAME_SIZE to 2^24", [settings(5, 1 << 24)], ended),
        ServerConformanceCase("6.5.2", "sends a setting that is not defined", [settings(0xFF, 1)], .acknowledges),
        ServerConformanceCase("6.5.2", "sets SETTINGS_HEADER_TABLE_SIZE to 0", [settings(1, 0)], .acknowledges),
        ServerConformanceCase(
            "6.5.2",
            "sets SETTINGS_MAX_CONCURRENT_STREAMS to 0, which is a server's business",
            [settings(3, 0), whole()],
            .acknowledges,
            answers: [1]
        ),

        ServerConformanceCase("6.5.3", "sends SETTINGS", [settings(2, 0)], .acknowledges),
        ServerConformanceCase(
            "6.5.3",
            "sends the same setting twice, a bad value first",
            [RawFrame.frame(type: 4, flags: 0, stream: 0, [0, 2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0])],
            ended,
            leniency: Leniency(
                does: .acknowledges,
                reason: "nghttp2 keeps the last of each setting of a frame, and judges only that."
            )
        ),
        ServerConformanceCase(
            "6.5.3",
            "acknowledges SETTINGS that were not sent",
            [RawFrame.settingsAcknowledgement, RawFrame.settingsAcknowledgement],
            ended
        ),
    ]

    static let pingAndGoAway = [
        ServerConformanceCase("6.7", "sends PING", [ping("the ping")], .answersPing("the ping")),
        // Every case checks that there is no answer.
        ServerConformanceCase("6.7", "sends PING with ACK", [ping("nobody's", flags: 1)], .goesOn),
        ServerConformanceCase("6.7", "sends PING on a stream", [ping("a stream", stream: 1)], ended),
        ServerConformanceCase("6.7", "sends PING of 6 bytes", [ping("sixsix")], .connectionError([.frameSizeError])),
        ServerConformanceCase("6.7", "sends PING of 9 bytes", [ping("nine-nine")], .connectionError([.frameSizeError])),

        ServerConformanceCase(
            "6.8",
            "sends GOAWAY on a stream",
            [RawFrame.frame(type: 7, flags: 0, stream: 1, [UInt8](repeating: 0, count: 8))],
            ended
        ),
        ServerConformanceCase(
            "6.8",
            "sends GOAWAY of 7 bytes",
            [RawFrame.frame(type: 7, flags: 0, stream: 0, [UInt8](repeating: 0, count: 7))],
            .connectionError([.frameSizeError])
        ),
        ServerConformanceCase(
            "6.8",
            "sends GOAWAY with a request in flight",
            [
                whole(),
                RawFrame.frame(type: 7, flags: 0, stream: 0, [UInt8](repeating: 0, count: 8) + Array("bye".utf8)),
            ],
            .connectionError([]),
            answers: [1]
        ),
    ]
}
