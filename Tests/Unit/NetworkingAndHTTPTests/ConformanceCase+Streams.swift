import TestSupport

/// Section 5: streams.
extension ConformanceCase {
    static let streamStates = [
        ConformanceCase("5.1", "idle: sends DATA", [lastData(stream: 2)], .connectionError([.protocolError])),
        ConformanceCase(
            "5.1",
            "idle: sends RST_STREAM",
            [RawFrame.reset(stream: 2)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "5.1",
            "idle: sends WINDOW_UPDATE",
            [RawFrame.windowUpdate(stream: 2, 100)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "5.1",
            "idle: sends CONTINUATION",
            [continuation(stream: 2, endsBlock: true)],
            .connectionError([.protocolError])
        ),

        ConformanceCase(
            "5.1",
            "closed: sends DATA after RST_STREAM",
            after: .head,
            [RawFrame.reset(stream: 1), lastData()],
            .streamError([.streamClosed])
        ),
        ConformanceCase(
            "5.1",
            "closed: sends HEADERS after RST_STREAM",
            after: .head,
            [RawFrame.reset(stream: 1), answer(endsStream: true)],
            .streamError([.streamClosed])
        ),
        ConformanceCase(
            "5.1",
            "closed: sends CONTINUATION after RST_STREAM",
            after: .head,
            [RawFrame.reset(stream: 1), continuation(endsBlock: true)],
            .streamError([.streamClosed, .protocolError])
        ),

        ConformanceCase(
            "5.1",
            "closed: sends DATA after END_STREAM",
            after: .whole,
            [lastData()],
            .connectionError([.streamClosed])
        ),
        ConformanceCase(
            "5.1",
            "closed: sends HEADERS after END_STREAM",
            after: .whole,
            [answer(endsStream: true)],
            .connectionError([.streamClosed])
        ),
        ConformanceCase(
            "5.1",
            "closed: sends CONTINUATION after END_STREAM",
            after: .whole,
            [continuation(endsBlock: true)],
            .connectionError([.streamClosed, .protocolError])
        ),

        ConformanceCase(
            "5.1.1",
            "answers a stream that the client never opened",
            [answer(stream: 101, endsStream: true)],
            .connectionError([.protocolError])
        ),

        // The connection's end and its code are two cases there; each case here demands both.
        ConformanceCase(
            "5.4.1",
            "sends a PING on a stream, and waits for the connection's end",
            [ping("on three", stream: 3)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "5.4.1",
            "sends a PING on a stream, and waits for GOAWAY",
            [ping("on three", stream: 3)],
            .connectionError([.protocolError])
        ),
    ]
}
