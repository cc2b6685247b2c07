import TestSupport

/// Section 5: streams.
extension ServerConformanceCase {
    static let streamStates = [
        ServerConformanceCase("5.1", "idle: sends DATA", [lastData()], ended),
        ServerConformanceCase("5.1", "idle: sends RST_STREAM", [RawFrame.reset(stream: 1)], ended),
        ServerConformanceCase("5.1", "idle: sends WINDOW_UPDATE", [RawFrame.windowUpdate(stream: 1, 100)], ended),
        ServerConformanceCase("5.1", "idle: sends CONTINUATION", [continuation(endsBlock: true)], ended),
        ServerConformanceCase("5.1", "idle: sends PRIORITY", [RawFrame.priority, whole()], .goesOn, answers: [1]),

        ServerConformanceCase(
            "5.1",
            "open: sends PRIORITY and WINDOW_UPDATE",
            [open(), RawFrame.priority, RawFrame.windowUpdate(stream: 1, 100), lastData()],
            .goesOn,
            answers: [1]
        ),

        ServerConformanceCase(
            "5.1",
            "half-closed: sends DATA",
            [whole(), lastData()],
            .streamError([.streamClosed])
        ),
        ServerConformanceCase(
            "5.1",
            "half-closed: sends HEADERS",
            [whole(), whole()],
            .streamError([.streamClosed])
        ),
        ServerConformanceCase(
            "5.1",
            "half-closed: sends CONTINUATION",
            [whole(), continuation(endsBlock: true)],
            .connectionError([.streamClosed, .protocolError])
        ),
        ServerConformanceCase(
            "5.1",
            "half-closed: sends WINDOW_UPDATE and PRIORITY",
            [whole(), RawFrame.windowUpdate(stream: 1, 100), RawFrame.priority],
            .goesOn,
            answers: [1]
        ),

        ServerConformanceCase(
            "5.1",
            "closed by its RST_STREAM: sends DATA",
            [open(), RawFrame.reset(stream: 1), lastData()],
            .streamError([.streamClosed])
        ),
        ServerConformanceCase(
            "5.1",
            "closed by its RST_STREAM: sends HEADERS",
            [open(), RawFrame.reset(stream: 1), whole()],
            .streamError([.streamClosed])
        ),
        ServerConformanceCase(
            "5.1",
            "closed by its RST_STREAM: sends CONTINUATION",
            [open(), RawFrame.reset(stream: 1), continuation(endsBlock: true)],
            .connectionError([.streamClosed, .protocolError])
        ),
        ServerConformanceCase(
            "5.1",
            "closed by END_STREAM: sends DATA",
            after: [whole()],
            [lastData()],
            .connectionError([.streamClosed]),
            answers: [1]
        ),
        ServerConformanceCase(
            "5.1",
            "closed by END_STREAM: sends HEADERS",
            after: [whole()],
            [whole()],
            .connectionError([.streamClosed]),
            answers: [1]
        ),
        ServerConformanceCase(
            "5.1",
            "closed by END_STREAM: sends CONTINUATION",
            after: [whole()],
            [continuation(endsBlock: true)],
            .connectionError([.streamClosed, .protocolError])
        ),
        ServerConformanceCase(
            "5.1",
            "closed by END_STREAM: sends WINDOW_UPDATE, PRIORITY and RST_STREAM",
            after: [whole()],
            [RawFrame.windowUpdate(stream: 1, 100), RawFrame.priority, RawFrame.reset(stream: 1)],
            .goesOn,
            answers: [1]
        ),
    ]

    static let streamNumbers = [
        ServerConformanceCase("5.1.1", "opens a stream with an even number", [whole(2)], ended),
        ServerConformanceCase(
            "5.1.1",
            "opens a stream below one that it has opened",
            after: [whole(5)],
            [whole(3)],
            ended,
            answers: [5],
            leniency: Leniency(
                does: .connectionError([.streamClosed]),
                reason: "Streams that have closed are not told from those that never were: both end the connection."
            )
        ),
        ServerConformanceCase(
            "5.1.2",
            "opens one stream more than SETTINGS_MAX_CONCURRENT_STREAMS",
            [RawFrame.settingsAcknowledgement] + (0..<streamCountMax).map { open(2 * $0 + 1) } + [whole(9)],
            .streamError([.protocolError, .refusedStream]),
            stream: 9
        ),
        ServerConformanceCase(
            "5.1.2",
            "opens one more before it has acknowledged the limit",
            (0..<streamCountMax).map { open(2 * $0 + 1) } + [whole(9)],
            .streamError([.protocolError, .refusedStream]),
            stream: 9
        ),
        ServerConformanceCase(
            "5.1.2",
            "opens as many again as it has ended",
            [RawFrame.settingsAcknowledgement] + (0..<streamCountMax).map { open(2 * $0 + 1) }
                + [RawFrame.reset(stream: 1), whole(9)],
            .goesOn,
            answers: [9]
        ),

        ServerConformanceCase(
            "5.3",
            "makes a stream depend on itself, which RFC 7540 forbade",
            [RawFrame.frame(type: 1, flags: 0x25, stream: 1, [0, 0, 0, 1, 15] + head)],
            malformed
        ),
        ServerConformanceCase(
            "5.3",
            "makes a stream depend on one that there never was",
            [RawFrame.frame(type: 1, flags: 0x25, stream: 1, [0, 0, 0, 99, 15] + head)],
            .goesOn,
            answers: [1]
        ),

        ServerConformanceCase(
            "5.4.1",
            "breaks a rule of the connection, and goes on",
            [ping("on three", stream: 3), whole()],
            ended
        ),
        ServerConformanceCase("5.4.2", "breaks a rule of one stream", [block(head + field("A", "1"))], malformed),
        ServerConformanceCase(
            "5.4.2",
            "resets a stream that is not answered with a reset",
            [open(), RawFrame.reset(stream: 1)],
            .goesOn
        ),
    ]
}
