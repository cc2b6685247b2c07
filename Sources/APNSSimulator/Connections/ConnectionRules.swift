import APNS
import Transport

/// How provider connections are treated where Apple says nothing. What has been seen of the live service is the default.
package struct ConnectionRules: Sendable, Equatable {
    /// What becomes of a stream beyond the limit, by a client that knows the limit.
    package enum ExcessStreams: String, Sendable, CaseIterable {
        case refuse
        case goaway
    }

    /// What a field name in upper case ends.
    package enum UpperCaseNames: String, Sendable, CaseIterable {
        case connection
        case stream
    }

    // MARK: SETTINGS

    package var headerTableByteCount: UInt32 = 4096
    package var streamWindowByteCount: UInt32 = 65_535
    package var connectionWindowByteCount: Int32 = 65_535
    package var frameByteCountMax: UInt32 = 16_384
    package var headerListByteCountMax: UInt32 = 8000

    // MARK: Streams

    /// After a rejected push the limit falls to one stream, until the next accepted one.
    package var dropsToOneStream = false
    package var excessStreams = ExcessStreams.refuse
    package var upperCaseNames = UpperCaseNames.connection

    // MARK: Errors

    /// Of a connection's answers, how many of a hundred may be errors before it is ended; 0: all.
    package var errorPercentMax = 0
    /// The same for BadDeviceToken alone.
    package var badTokenPercentMax = 0
    /// So many answers there must be before the shares are judged.
    package var judgedAnswerCount = 100

    // MARK: Ends

    /// Nil: never.
    package var idleDeadline: Duration? = .seconds(3600)
    package var lifetimeMax: Duration?
    /// How many GOAWAY frames say that a connection ends.
    package var goAwayCount = 1
    /// Open streams get so long when the connection ends.
    package var drainSecondsMax = 5

    // MARK: Deadlines

    package var handshakeSecondsMax = 10
    package var requestSecondsMax = 30
    package var responseSecondsMax = 30

    // MARK: Many connections

    package var connectionCountMax = 1024
    /// So many connections of one address within `reconnectWindowSeconds` are let in; 0: all.
    package var reconnectCountMax = 0
    package var reconnectWindowSeconds = 60
}

extension SimulatorConfiguration {
    /// What the server of the push port enforces.
    var serverLimits: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.settings = http2Settings
        limits.channel.handshakeDeadline = .seconds(connections.handshakeSecondsMax)
        // Bytes are no activity here, streams are.
        limits.channel.idleDeadline = nil
        limits.requestDeadline = .seconds(connections.requestSecondsMax)
        limits.responseDeadline = .seconds(connections.responseSecondsMax)
        // A hundred years.
        limits.idleDeadline = connections.idleDeadline ?? .seconds(100 * 366 * 86_400)
        limits.lifetimeMax = connections.lifetimeMax
        limits.drainDeadline = .seconds(connections.drainSecondsMax)
        limits.connectionCountMax = connections.connectionCountMax
        limits.farewells.idle = RejectionBody(.idleTimeout).json
        limits.farewells.lifetime = RejectionBody(.shutdown).json
        limits.farewells.shutdown = RejectionBody(.shutdown).json
        limits.farewells.frameCount = connections.goAwayCount
        return limits
    }

    private var http2Settings: HTTP2Settings {
        var settings = HTTP2Settings()
        settings.maxConcurrentStreams = startsWithOneStream ? 1 : streamCountMax
        settings.headerTableByteCount = connections.headerTableByteCount
        settings.initialWindowByteCount = connections.streamWindowByteCount
        settings.connectionWindowByteCount = connections.connectionWindowByteCount
        settings.frameByteCountMax = connections.frameByteCountMax
        settings.headerListByteCountMax = connections.headerListByteCountMax
        settings.bodyByteCountMax = PushType.voip.payloadByteCountMax
        if connections.excessStreams == .goaway {
            settings.excessStreamGoAway = Array("Maximum active streams violated".utf8)
        }
        if connections.upperCaseNames == .connection {
            settings.upperCaseGoAway = Array("Header names must be in lower case".utf8)
        }
        return settings
    }
}
