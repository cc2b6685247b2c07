import DeviceLink
import Platform

extension Arguments {
    /// A name of the internet's, and where it is for this phone: on this machine, or nowhere.
    func mapping(
        of host: String,
        _ name: String
    ) throws(CommandFailure) -> SimulatedDevice.HostMapping {
        let isGiven = value(name) != nil
        // Nothing listens on port 1: a phone that is not told where a host is must not look for it on the internet.
        let actual = isGiven ? try hostAndPort(name) : (host: "127.0.0.1", port: 1)
        return SimulatedDevice.HostMapping(
            host: host,
            port: 443,
            actualHost: actual.host,
            actualPort: actual.port,
            authoritiesPath: isGiven ? try required("--ca") : "/dev/null"
        )
    }

    func deviceState(_ name: String) throws(CommandFailure) -> (DeviceState, isLocked: Bool) {
        var state: DeviceState = []
        var isLocked = false
        for word in (value(name) ?? "").split(separator: ",") {
            switch word {
            case "locked": isLocked = true
            case "low-power": state.insert(.lowPower)
            case "focus": state.insert(.focus)
            case "app-removed": state.insert(.appRemoved)
            case "notifications-off": state.insert(.notificationsOff)
            default: throw wrong("\(name) takes locked, low-power, focus, app-removed, notifications-off")
            }
        }
        return (state, isLocked)
    }
}
