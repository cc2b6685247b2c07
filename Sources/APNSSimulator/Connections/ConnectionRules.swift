import APNS
import HTTP
import Networking

/// Rules where Apple is silent. Defaults follow the observed service.
package struct ConnectionRules: Sendable, Equatable {
    /// Handling of a stream above the limit.
    package enum ExcessStreams: String, Sendable, CaseIterable {
        case refuse
        case goaway
    }

    package enum UpperCaseNames: String, Sendable, CaseIterable {
        case connection
        case stream
    }

    package var headerTableByteCount: UInt32 = 4096
    package var streamWindowByteCount: UInt32 = 65_535
    package var connectionWindowByteCount: Int32 = 65_535
    package var frameByteCountMax: UInt32 = 16_384
    package var headerListByteCountMax: UInt32 = 8000

    /// Allows one stream after a rejected push, until the next accepted one.
    package var dropsToOneStream = false
    package var excessStreams = ExcessStreams.refuse
    package var upperCaseNames = UpperCaseNames.connection

    /// Percentage of errors that a connection survives; 0: any.
    package var errorPercentMax = 0
    /// Same for BadDeviceToken alone.
    package var badTokenPercentMax = 0
    /// Answers before the percentages apply.
    package var judgedAnswerCount = 100

    /// Nil: no deadline.
    package var idleDeadline: Duration? = .seconds(3600)
    package var lifetimeMax: Duration?
    package var goAwayCount = 1
    /// Time for open streams at the end of a connection.
    package var drainSecondsMax = 5

    package var handshakeSecondsMax = 10
    package var requestSecondsMax = 30
    package var responseSecondsMax = 30

    package var connectionCountMax = 1024
    /// From one address within `reconnectWindowSeconds`; 0: no limit.
    package var reconnectCountMax = 0
    package var reconnectWindowSeconds = 60
}

extension SimulatorConfiguration {
    var serverLimits: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.settings = http2Settings
        limits.channel.handshakeDeadline = .seconds(connections.handshakeSecondsMax)
        // Streams count as activity here, bytes do not.
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
