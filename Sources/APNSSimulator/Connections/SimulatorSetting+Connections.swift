extension SimulatorSetting {
    static let connections: [SimulatorSetting] = [
        .flag(
            "alpn-required",
            \.requiresALPN,
            "a client that negotiates no protocol in TLS is refused",
            source: "observed: Apple's servers take it for HTTP/2; aioapns 4.0 is such a client"
        ),
        .flag(
            "one-stream-at-first",
            \.startsWithOneStream,
            "one stream until the first push of a connection was accepted",
            source: "Apple, for provider tokens"
        ),
        .number(
            "streams",
            \.streamCountMax,
            in: 1...100_000,
            "the streams that a connection may have open at once",
            source: "observed: 1000 today, 500 in 2016"
        ),
        .number(
            "header-table",
            \.connections.headerTableByteCount,
            in: 0...65_536,
            "bytes of HPACK's table that a client may fill (SETTINGS_HEADER_TABLE_SIZE)",
            source: "observed"
        ),
        .number(
            "stream-window",
            \.connections.streamWindowByteCount,
            in: 1...2_147_483_647,
            "bytes that a stream may send before it waits (SETTINGS_INITIAL_WINDOW_SIZE)",
            source: "observed"
        ),
        .number(
            "connection-window",
            \.connections.connectionWindowByteCount,
            in: 65_535...2_147_483_647,
            "bytes that all streams together may send before they wait",
            source: "observed: the protocol's default, about 40 bodies"
        ),
        .number(
            "frame-size",
            \.connections.frameByteCountMax,
            in: 16_384...16_777_215,
            "bytes of the largest frame (SETTINGS_MAX_FRAME_SIZE)",
            source: "observed"
        ),
        .number(
            "header-list",
            \.connections.headerListByteCountMax,
            in: 1...65_536,
            "bytes of a request's fields, 32 added for each (SETTINGS_MAX_HEADER_LIST_SIZE)",
            source: "observed"
        ),
        .flag(
            "one-stream-after-error",
            \.connections.dropsToOneStream,
            "a rejected push lowers the streams to one, until the next accepted push",
            source: "observed in 2016; off, because there are no later reports"
        ),
        .choice(
            "excess-streams",
            \.connections.excessStreams,
            "the answer to a stream beyond the limit: RST_STREAM with REFUSED_STREAM, or GOAWAY",
            source: "both observed"
        ),
        .choice(
            "upper-case-names",
            \.connections.upperCaseNames,
            "ended by a field name in upper case: the stream or the connection",
            source: "observed since July 2018: the connection"
        ),
        .number(
            "error-percent",
            \.connections.errorPercentMax,
            in: 0...100,
            "the percentage of errors among answers that ends the connection; 0: none does",
            source: "Apple, without a number; off"
        ),
        .number(
            "bad-token-percent",
            \.connections.badTokenPercentMax,
            in: 0...100,
            "the percentage of BadDeviceToken among answers that ends the connection; 0: none does",
            source: "Apple, without a number: sooner than for other errors; off"
        ),
        .number(
            "error-answers",
            \.connections.judgedAnswerCount,
            in: 1...1_000_000,
            "the answers that there must be before those percentages count",
            source: "our choice: enough for a percentage"
        ),
        .seconds(
            "idle-timeout",
            \.connections.idleDeadline,
            "the time without a stream after which a connection gets IdleTimeout",
            source: "our choice: Apple suggests a ping after an hour; 20 minutes were seen to pass"
        ),
        .seconds(
            "connection-lifetime",
            \.connections.lifetimeMax,
            "the age at which a connection gets Shutdown",
            source: "observed: days, and no limit"
        ),
        .number(
            "goaway-frames",
            \.connections.goAwayCount,
            in: 1...2,
            "the GOAWAY frames that end a connection",
            source: "observed: both"
        ),
        .number(
            "drain-seconds",
            \.connections.drainSecondsMax,
            in: 1...3600,
            "the time for which open streams may go on after GOAWAY",
            source: "our choice"
        ),
        .number(
            "handshake-seconds",
            \.connections.handshakeSecondsMax,
            in: 1...3600,
            "the time that a client may take for TLS, and again for its SETTINGS",
            source: "our choice"
        ),
        .number(
            "request-seconds",
            \.connections.requestSecondsMax,
            in: 1...3600,
            "the time that a request may take from its first byte to its last",
            source: "our choice"
        ),
        .number(
            "response-seconds",
            \.connections.responseSecondsMax,
            in: 1...3600,
            "the time that a client may take to read an answer",
            source: "our choice"
        ),
        .number(
            "connections",
            \.connections.connectionCountMax,
            in: 1...100_000,
            "the providers that may be connected at once; further connections are closed",
            source: "our choice"
        ),
        .number(
            "reconnects",
            \.connections.reconnectCountMax,
            in: 0...1_000_000,
            "the connections that one address may open within the reconnect window; 0: any number",
            source: "Apple, without a number: quick reconnects are denial of service; off"
        ),
        .number(
            "reconnect-window",
            \.connections.reconnectWindowSeconds,
            in: 1...86_400,
            "the reconnect window in seconds",
            source: "our choice"
        ),
    ]
}
