import TestSupport

/// Sections 3 and 4: the preface, frames and header blocks.
extension ServerConformanceCase {
    private static let unknown = RawFrame.frame(type: 0x16, flags: 0, stream: 0, [UInt8](repeating: 0, count: 8))
    private static let large = [UInt8](repeating: 0x78, count: 1 << 14)

    static let preface = [
        ServerConformanceCase("3.4", "sends requests at once, and waits for nothing", [whole()], .goesOn, answers: [1]),
        ServerConformanceCase(
            "3.4",
            "sends another preface",
            preface: Array("PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n".utf8),
            [whole()],
            // A GOAWAY may be left out.
            .connectionError([])
        ),
        ServerConformanceCase(
            "3.4",
            "speaks HTTP/1.1",
            preface: Array("POST /3/device/00 HTTP/1.1\r\nhost: x\r\n\r\n".utf8),
            [],
            .connectionError([])
        ),
        ServerConformanceCase(
            "3.4",
            "begins with another frame than SETTINGS",
            preface: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8),
            [whole()],
            ended
        ),
        ServerConformanceCase(
            "3.4",
            "begins with an acknowledgement",
            preface: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + RawFrame.settingsAcknowledgement,
            [whole()],
            ended
        ),
    ]

    static let framing = [
        ServerConformanceCase("4.1", "sends a frame of an unknown type", [unknown], .goesOn),
        ServerConformanceCase(
            "4.1",
            "sends a PING with flags that are not defined",
            [ping("flagsflg", flags: 0x16)],
            .answersPing("flagsflg")
        ),
        ServerConformanceCase(
            "4.1",
            "sends a PING with the reserved bit set",
            [ping("reserved", stream: 1 << 31)],
            .answersPing("reserved")
        ),

        ServerConformanceCase("4.2", "sends DATA of 2^14 bytes", [open(), lastData(1, large)], .goesOn, answers: [1]),
        ServerConformanceCase(
            "4.2",
            "sends DATA that is longer than SETTINGS_MAX_FRAME_SIZE",
            [open(), lastData(1, large + [0])],
            .streamError([.frameSizeError])
        ),
        ServerConformanceCase(
            "4.2",
            "sends HEADERS that are longer than SETTINGS_MAX_FRAME_SIZE",
            [block(head + large)],
            .connectionError([.frameSizeError])
        ),
        ServerConformanceCase(
            "4.2",
            "sends SETTINGS that are longer than SETTINGS_MAX_FRAME_SIZE",
            [RawFrame.frame(type: 4, flags: 0, stream: 0, [UInt8](repeating: 0, count: 6 * 2731))],
            .connectionError([.frameSizeError])
        ),

        ServerConformanceCase("5.5", "sends a frame of an extension that nobody asked for", [unknown], .goesOn),
        ServerConformanceCase(
            "5.5",
            "sends a frame of an extension before the header block has ended",
            [beginning(), unknown, continuation(endsBlock: true)],
            ended
        ),
    ]

    static let fieldBlocks = [
        ServerConformanceCase("4.3", "ends a block within a field", [block(head + [0x40])], broken),
        ServerConformanceCase("4.3", "uses index 0", [block(head + [0x80])], broken),
        ServerConformanceCase("4.3", "uses an index that is not filled", [block(head + [0xFF, 0])], broken),
        ServerConformanceCase(
            "4.3",
            "enlarges the table beyond the setting",
            [block([0x3F, 0xE2, 0x1F] + head)],
            broken
        ),
        ServerConformanceCase("4.3", "changes the table's size behind a field", [block(head + [0x20])], broken),
        ServerConformanceCase(
            "4.3",
            "writes an integer that has no end",
            [block(head + [0x7F] + [UInt8](repeating: 0xFF, count: 12))],
            broken
        ),
        ServerConformanceCase(
            "4.3",
            "pads a Huffman string with zeros",
            [block(head + [0x00, 0x81, 0x18, 1, 0x78])],
            broken
        ),
        ServerConformanceCase(
            "4.3",
            "begins another block before one has ended",
            [beginning(), whole(3), continuation(endsBlock: true)],
            ended
        ),
        ServerConformanceCase(
            "4.3",
            "uses a field that it filled the table with in a block that was refused",
            [
                block(head + [0x40, 3] + Array("x-y".utf8) + [1, 0x31] + field("A", "1")),
                block(head + [0xBE], stream: 3),
            ],
            malformed,
            answers: [3]
        ),
    ]

    private static let broken = Demand.connectionError([.compressionError])
}
