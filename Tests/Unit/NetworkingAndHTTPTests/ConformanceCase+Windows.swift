import TestSupport

/// Sections 6.9 and 6.10: WINDOW_UPDATE and CONTINUATION.
extension ConformanceCase {
    private static let largest: UInt32 = 0x7FFF_FFFF

    static let windowUpdate = [
        ConformanceCase(
            "6.9",
            "enlarges the connection's window by 0",
            [RawFrame.windowUpdate(stream: 0, 0)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.9",
            "enlarges a stream's window by 0",
            after: .head,
            [RawFrame.windowUpdate(stream: 1, 0)],
            .streamError([.protocolError])
        ),
        ConformanceCase(
            "6.9",
            "sends WINDOW_UPDATE of 3 bytes",
            [RawFrame.frame(type: 8, flags: 0, stream: 0, [0, 0, 1])],
            .connectionError([.frameSizeError])
        ),

        ConformanceCase(
            "6.9.1",
            "enlarges the connection's window beyond 2^31 - 1",
            [RawFrame.windowUpdate(stream: 0, largest), RawFrame.windowUpdate(stream: 0, largest)],
            .connectionError([.flowControlError])
        ),
        ConformanceCase(
            "6.9.1",
            "enlarges a stream's window beyond 2^31 - 1",
            after: .head,
            [RawFrame.windowUpdate(stream: 1, largest), RawFrame.windowUpdate(stream: 1, largest)],
            .streamError([.flowControlError])
        ),
    ]

    static let continuation = [
        ConformanceCase(
            "6.10",
            "sends CONTINUATION twice after HEADERS",
            [openAnswer(endsStream: true), continuation(endsBlock: false), continuation(endsBlock: true)],
            .goesOn,
            .answered
        ),
        ConformanceCase(
            "6.10",
            "sends DATA before the header block has ended",
            [openAnswer(endsStream: false), continuation(endsBlock: false), lastData()],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.10",
            "sends CONTINUATION on stream 0",
            [openAnswer(endsStream: true), continuation(stream: 0, endsBlock: true)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.10",
            "sends CONTINUATION after HEADERS with END_HEADERS",
            after: .whole,
            [continuation(endsBlock: true)],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.10",
            "sends CONTINUATION after CONTINUATION with END_HEADERS",
            [openAnswer(endsStream: true), continuation(endsBlock: true), continuation(endsBlock: true)],
            .connectionError([.protocolError]),
            .answered
        ),
        ConformanceCase(
            "6.10",
            "sends CONTINUATION after DATA",
            after: .head,
            [RawFrame.data(stream: 1, Array("test".utf8)), continuation(endsBlock: true)],
            .connectionError([.protocolError])
        ),
    ]
}
