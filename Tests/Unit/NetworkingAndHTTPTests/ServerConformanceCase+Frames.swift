import TestSupport

/// Sections 6.1 to 6.4 and 6.6: DATA, HEADERS, PRIORITY, RST_STREAM and PUSH_PROMISE.
extension ServerConformanceCase {
    static let data = [
        ServerConformanceCase("6.1", "sends DATA on stream 0", [lastData(0)], ended),
        ServerConformanceCase(
            "6.1",
            "sends DATA on a stream that is half-closed",
            [whole(), lastData()],
            .streamError([.streamClosed])
        ),
        ServerConformanceCase(
            "6.1",
            "sends DATA with more padding than frame",
            [open(), RawFrame.frame(type: 0, flags: 9, stream: 1, [6] + Array("Test".utf8))],
            .streamError([.protocolError])
        ),
        ServerConformanceCase(
            "6.1",
            "sends DATA with padding and no data",
            [open(), RawFrame.frame(type: 0, flags: 9, stream: 1, [2, 0, 0])],
            .goesOn,
            answers: [1]
        ),
    ]

    static let headers = [
        ServerConformanceCase("6.2", "sends HEADERS on stream 0", [block(head, stream: 0)], ended),
        ServerConformanceCase(
            "6.2",
            "sends PRIORITY before the header block has ended",
            [beginning(), RawFrame.priority, continuation(endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "6.2",
            "sends HEADERS of another stream before the header block has ended",
            [beginning(), whole(3)],
            ended
        ),
        ServerConformanceCase(
            "6.2",
            "sends HEADERS with more padding than frame",
            [RawFrame.frame(type: 1, flags: 0xD, stream: 1, [99] + head)],
            .connectionError([.protocolError])
        ),
        ServerConformanceCase(
            "6.2",
            "sends HEADERS with a priority that is cut",
            [RawFrame.frame(type: 1, flags: 0x25, stream: 1, [0, 0, 0])],
            .connectionError([.frameSizeError, .protocolError])
        ),
        ServerConformanceCase(
            "6.2",
            "sends HEADERS with padding and a priority",
            [RawFrame.frame(type: 1, flags: 0x2D, stream: 1, [2, 0, 0, 0, 0, 15] + head + [0, 0])],
            .goesOn,
            answers: [1]
        ),
    ]

    static let priority = [
        ServerConformanceCase(
            "6.3",
            "sends PRIORITY on stream 0",
            [RawFrame.frame(type: 2, flags: 0, stream: 0, [0, 0, 0, 0, 255])],
            ended
        ),
        ServerConformanceCase(
            "6.3",
            "sends PRIORITY of 4 bytes",
            [open(), RawFrame.frame(type: 2, flags: 0, stream: 1, [0x80, 0, 0, 3])],
            .streamError([.frameSizeError])
        ),
    ]

    static let reset = [
        ServerConformanceCase("6.4", "sends RST_STREAM on stream 0", [RawFrame.reset(stream: 0)], ended),
        ServerConformanceCase("6.4", "sends RST_STREAM on an idle stream", [RawFrame.reset(stream: 3)], ended),
        ServerConformanceCase(
            "6.4",
            "sends RST_STREAM of 3 bytes",
            [open(), RawFrame.frame(type: 3, flags: 0, stream: 1, [0, 0, 0])],
            .connectionError([.frameSizeError])
        ),
        ServerConformanceCase(
            "6.4",
            "sends RST_STREAM with a code that is not defined",
            [open(), RawFrame.frame(type: 3, flags: 0, stream: 1, [0, 0, 1, 0])],
            .goesOn
        ),
    ]

    static let pushPromise = [
        ServerConformanceCase(
            "6.6",
            "promises a push",
            [open(), RawFrame.frame(type: 5, flags: 4, stream: 1, [0, 0, 0, 2] + head)],
            ended
        )
    ]
}
