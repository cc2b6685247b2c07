import TestSupport

/// Cases that h2specd leaves out: messages (section 8), and rules that are new in RFC 9113.
extension ConformanceCase {
    private static let malformed = Demand.streamError([.protocolError])

    private static func block(_ bytes: [UInt8], endsStream: Bool = true) -> [UInt8] {
        RawFrame.frame(type: 1, flags: endsStream ? 5 : 4, stream: 1, bytes)
    }

    static let messages = [
        ConformanceCase(
            "5.1.1",
            "opens a stream",
            [answer(stream: 2, endsStream: true)],
            .connectionError([.protocolError])
        ),
        ConformanceCase("6.5.2", "allows itself to push", [settings(2, 1)], .connectionError([.protocolError])),
        ConformanceCase(
            "6.5.3",
            "acknowledges SETTINGS twice",
            [RawFrame.settingsAcknowledgement, RawFrame.settingsAcknowledgement],
            .connectionError([.protocolError])
        ),
        ConformanceCase(
            "6.9.2",
            "sets an initial window that makes a stream's exceed 2^31 - 1",
            [RawFrame.windowUpdate(stream: 1, 100), settings(4, 0x7FFF_FFFF)],
            .connectionError([.flowControlError]),
            leniency: Leniency(
                does: .streamError([.flowControlError]),
                reason: "nghttp2 resets each stream whose window it is, and leaves the connection and the others alone."
            )
        ),
        ConformanceCase(
            "8.4",
            "promises a push that the client's SETTINGS rule out",
            [
                RawFrame.settingsAcknowledgement,
                RawFrame.frame(type: 5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82, 0x87, 0x84, 0x01, 1, 0x78]),
            ],
            .connectionError([.protocolError])
        ),

        ConformanceCase("8.1", "sends DATA before HEADERS", [lastData()], malformed),
        ConformanceCase("8.1", "ends the stream with a 103", [block([0x08, 3] + Array("103".utf8))], malformed),
        ConformanceCase(
            "8.1",
            "sends trailers without END_STREAM",
            after: .head,
            [block(field("x-more", "1"), endsStream: false)],
            malformed
        ),
        ConformanceCase(
            "8.1.1",
            "sends less than its content-length",
            [block([0x88] + field("content-length", "5"), endsStream: false), lastData()],
            malformed
        ),
        ConformanceCase(
            "8.1.1",
            "sends more than its content-length",
            [block([0x88] + field("content-length", "3"), endsStream: false), lastData()],
            malformed
        ),
        ConformanceCase("8.2.1", "sends a field in upper case", [block([0x88] + field("X-Upper", "1"))], malformed),
        ConformanceCase(
            "8.2.1",
            "sends a field with a line break",
            [block([0x88] + field("x-break", "1\r\n2"))],
            malformed
        ),
        ConformanceCase("8.2.2", "sends a field of HTTP/1.1", [block([0x88] + field("connection", "x"))], malformed),
        ConformanceCase("8.3", "sends a pseudo-header last", [block(field("x-more", "1") + [0x88])], malformed),
        ConformanceCase("8.3", "sends an unknown pseudo-header", [block([0x88] + field(":x", "1"))], malformed),
        ConformanceCase("8.3", "sends a request's pseudo-header", [block([0x88, 0x84])], malformed),
        ConformanceCase("8.3.2", "sends no status", [block(field("x-more", "1"))], malformed),
        ConformanceCase("8.3.2", "sends two of them", [block([0x88, 0x88])], malformed),
        ConformanceCase("8.3.2", "sends one of two digits", [block([0x08, 2] + Array("20".utf8))], malformed),
    ]
}
