// Minutes instead of seconds, for tests on starved machines: only a fault waits so long.

extension TLSChannelLimits {
    package static var patient: TLSChannelLimits {
        var limits = TLSChannelLimits()
        limits.connectDeadline = .seconds(600)
        limits.handshakeDeadline = .seconds(600)
        limits.unacknowledgedDeadline = .seconds(600)
        return limits
    }
}
