// For tests and judges, on machines that may be starved of time: only a fault makes anyone wait so long. Who tests a
// deadline sets that one alone.

extension TLSChannelLimits {
    /// Minutes in place of seconds.
    package static var patient: TLSChannelLimits {
        var limits = TLSChannelLimits()
        limits.connectDeadline = .seconds(600)
        limits.handshakeDeadline = .seconds(600)
        limits.unacknowledgedDeadline = .seconds(600)
        return limits
    }
}

extension HTTP2ClientLimits {
    /// Minutes in place of seconds.
    package static var patient: HTTP2ClientLimits {
        var limits = HTTP2ClientLimits()
        limits.channel = .patient
        limits.requestDeadline = .seconds(600)
        return limits
    }
}

extension HTTP2ServerLimits {
    /// Minutes in place of seconds.
    package static var patient: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.channel = .patient
        limits.requestDeadline = .seconds(600)
        limits.responseDeadline = .seconds(600)
        limits.drainDeadline = .seconds(600)
        return limits
    }
}
