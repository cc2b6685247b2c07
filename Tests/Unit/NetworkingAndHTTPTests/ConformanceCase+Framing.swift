import TestSupport

/// Sections 3 and 4: frames and header blocks.
extension ConformanceCase {
    private static let pad = [UInt8](repeating: 0, count: 8)
    private static let unknown = RawFrame.frame(type: 0x16, flags: 0, stream: 0, pad)

    static let framing = [
        ConformanceCase("3.4", "answers what came after the client's preface", after: .whole, [], .goesOn),

        ConformanceCase("4.1", "sends a frame of an unknown type", [unknown], .goesOn),
        ConformanceCase(
            "4.1",
            "sends a PING with flags that are not defined",
            [ping("flagsflg", flags: 0x16)],
            .answersPing("flagsflg")
        ),
        ConformanceCase(
            "4.1",
            "sends a PING with the reserved bit set",
            [ping("reserved", stream: 1 << 31)],
            .answersPing("reserved")
        ),

        ConformanceCase(
            "4.2",
            "sends a DATA frame of 2^14 bytes",
            after: .head,
            [lastData([UInt8](repeating: 0x78, count: 1 << 14))],
            .goesOn,
            .answered
        ),
        ConformanceCase(
            "4.2",
            "sends a DATA frame that is longer than SETTINGS_MAX_FRAME_SIZE",
            after: .head,
            [lastData([UInt8](repeating: 0x78, count: (1 << 14) + 1))],
            .streamError([.frameSizeError])
        ),
        ConformanceCase(
            "4.2",
            "sends a HEADERS frame that is longer than SETTINGS_MAX_FRAME_SIZE",
            [RawFrame.frame(type: 1, flags: 5, stream: 1, [0x88] + [UInt8](repeating: 0x88, count: 1 << 14))],
            .connectionError([.frameSizeError])
        ),

        ConformanceCase(
            "4.3",
            "sends a header block that ends within a field",
            [RawFrame.frame(type: 1, flags: 5, stream: 1, [0x40])],
            .connectionError([.compressionError])
        ),

        ConformanceCase("5.5", "sends a frame of an extension that nobody asked for", [unknown], .goesOn),
    ]
}
