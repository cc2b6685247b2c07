import TestSupport

/// Sections 6.1 to 6.4: DATA, HEADERS, PRIORITY and RST_STREAM.
extension ConformanceCase {
    static let data = [
        ConformanceCase(
            "6.1",
            "sends DATA on stream 0",
            [lastData(stream: 0)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.1",
            "sends DATA on a stream that is neither open nor half-closed (local)",
            after: .whole,
            [lastData()],
            .streamError([.streamClosed])
        ),
        ConformanceCase(
            "6.1",
            "sends DATA with more padding than frame",
            after: .head,
            [RawFrame.frame(type: 0, flags: 9, stream: 1, [6] + Array("Test".utf8))],
            .streamError([.protocolError])
        ),
    ]

    static let headers = [
        ConformanceCase(
            "6.2",
            "sends PRIORITY before the header block has ended",
            [openAnswer(endsStream: false), RawFrame.priority, continuation(endsBlock: true)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.2",
            "sends HEADERS on stream 0",
            [answer(stream: 0, endsStream: true)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.2",
            "sends HEADERS with more padding than frame",
            [RawFrame.frame(type: 1, flags: 0xC, stream: 1, [3, 0x88])],
            .streamError([.protocolError])
        ),
    ]

    static let priority = [
        ConformanceCase(
            "6.3",
            "sends PRIORITY on stream 0",
            [RawFrame.frame(type: 2, flags: 0, stream: 0, [0, 0, 0, 0, 255])],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.3",
            "sends PRIORITY of 4 bytes",
            after: .whole,
            [RawFrame.frame(type: 2, flags: 0, stream: 1, [0x80, 0, 0, 1])],
            .streamError([.frameSizeError])
        ),
    ]

    static let reset = [
        ConformanceCase(
            "6.4",
            "sends RST_STREAM on stream 0",
            [RawFrame.reset(stream: 0)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.4",
            "sends RST_STREAM on an idle stream",
            [RawFrame.reset(stream: 2)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.4",
            "sends RST_STREAM of 3 bytes",
            after: .whole,
            [RawFrame.frame(type: 3, flags: 0, stream: 1, [0, 0, 0])],
            .streamError([.frameSizeError])
        ),
    ]
}
