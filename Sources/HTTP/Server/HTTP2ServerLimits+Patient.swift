import Networking

// Minutes instead of seconds, for tests on starved machines: only a fault waits so long.

extension HTTP2ClientLimits {
    package static var patient: HTTP2ClientLimits {
        var limits = HTTP2ClientLimits()
        limits.channel = .patient
        limits.requestDeadline = .seconds(600)
        return limits
    }
}

extension HTTP2ServerLimits {
    package static var patient: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.channel = .patient
        limits.requestDeadline = .seconds(600)
        limits.responseDeadline = .seconds(600)
        limits.drainDeadline = .seconds(600)
        return limits
    }
}
