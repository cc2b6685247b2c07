import TestSupport

/// Sections 6.9 and 6.10: WINDOW_UPDATE and CONTINUATION.
extension ServerConformanceCase {
    private static let largest: UInt32 = 0x7FFF_FFFF

    static let windowUpdate = [
        ServerConformanceCase(
            "6.9",
            "enlarges the connection's window by 0",
            [RawFrame.windowUpdate(stream: 0, 0)],
            ended
        ),
        ServerConformanceCase(
            "6.9",
            "enlarges a stream's window by 0",
            [open(), RawFrame.windowUpdate(stream: 1, 0)],
            malformed
        ),
        ServerConformanceCase(
            "6.9",
            "sends WINDOW_UPDATE of 3 bytes",
            [RawFrame.frame(type: 8, flags: 0, stream: 0, [0, 0, 1])],
            .connectionError([.frameSizeError])
        ),
        ServerConformanceCase(
            "6.9",
            "enlarges a window with the reserved bit set",
            [open(), RawFrame.windowUpdate(stream: 1, 1 << 31 | 1), lastData()],
            .goesOn,
            answers: [1]
        ),
        ServerConformanceCase(
            "6.9.1",
            "enlarges the connection's window beyond 2^31 - 1",
            [RawFrame.windowUpdate(stream: 0, largest), RawFrame.windowUpdate(stream: 0, largest)],
            .connectionError([.flowControlError])
        ),
        ServerConformanceCase(
            "6.9.1",
            "enlarges a stream's window beyond 2^31 - 1",
            [open(), RawFrame.windowUpdate(stream: 1, largest), RawFrame.windowUpdate(stream: 1, largest)],
            .streamError([.flowControlError])
        ),
        ServerConformanceCase(
            "6.9.2",
            "sets an initial window that makes a stream's exceed 2^31 - 1",
            [open(), RawFrame.windowUpdate(stream: 1, 100), settings(4, largest)],
            .connectionError([.flowControlError]),
            leniency: Leniency(
                does: .streamError([.flowControlError]),
                reason: "nghttp2 resets each stream whose window it is, and leaves the connection and the others alone."
            )
        ),
    ]

    static let continuation = [
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION twice after HEADERS",
            [beginning(), continuation(endsBlock: false), continuation(endsBlock: true)],
            .goesOn,
            answers: [1]
        ),
        ServerConformanceCase(
            "6.10",
            "sends DATA before the header block has ended",
            [beginning(endsStream: false), continuation(endsBlock: false), lastData()],
            ended
        ),
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION on stream 0",
            [beginning(), continuation(stream: 0, endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION of another stream",
            [beginning(), continuation(stream: 3, endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION after HEADERS with END_HEADERS",
            [open(), continuation(endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION after CONTINUATION with END_HEADERS",
            [beginning(endsStream: false), continuation(endsBlock: true), continuation(endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "6.10",
            "sends CONTINUATION after DATA",
            [open(), RawFrame.data(stream: 1, Array("test".utf8)), continuation(endsBlock: true)],
            ended
        ),
    ]
}
