import CommandLineTool
import DeviceLink
import Platform
import RelayClient

extension Arguments {
    /// Phone's host name: on this machine, or nowhere.
    func mapping(
        of host: String,
        _ name: String
    ) throws(CommandError) -> SimulatedDevice.HostMapping {
        let isGiven = value(name) != nil
        // Nothing listens on port 1: the phone must not reach the internet.
        let actual = isGiven ? try hostAndPort(name) : (host: "127.0.0.1", port: 1)
        return SimulatedDevice.HostMapping(
            host: host,
            port: 443,
            actualHost: actual.host,
            actualPort: actual.port,
            authoritiesPath: isGiven ? try required("--ca") : "/dev/null"
        )
    }

    /// KIND=FILE, or KIND:NAME=FILE.
    func registrations(
        _ name: String
    ) throws(CommandError) -> [(registration: TokenRegistration, path: String)] {
        var registrations: [(registration: TokenRegistration, path: String)] = []
        for text in values(name) {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let words = sides[0].split(separator: ":", maxSplits: 1).map(String.init)
            guard sides.count == 2, !sides[1].isEmpty, let kind = words.first.flatMap({ TokenKind(name: $0) }) else {
                let kinds = TokenKind.allCases.map(\.name).joined(separator: ", ")
                throw wrong("\(name) must be KIND=FILE or KIND:NAME=FILE; kinds are \(kinds)")
            }
            guard let registration = TokenRegistration(kind, instance: Array((words.count == 2 ? words[1] : "").utf8))
            else { throw wrong("\(name): a name has at most \(TokenRegistration.instanceByteCountMax) bytes") }
            registrations.append((registration, sides[1]))
        }
        return registrations
    }

    func endpoints(_ name: String) throws(CommandError) -> [PhoneEndpoints.Server] {
        var endpoints: [PhoneEndpoints.Server] = []
        for text in values(name) {
            let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
            let words = sides.first?.split(separator: ",").map(String.init) ?? []
            guard sides.count == 2, (1...2).contains(words.count) else {
                throw wrong("\(name) must be NAME=FILE or NAME,VAPID-KEY=FILE")
            }
            endpoints.append(.init(name: words[0], vapidKey: words.count == 2 ? words[1] : nil, path: sides[1]))
        }
        return endpoints
    }

    func lifetime(_ name: String) throws(CommandError) -> EndpointLifetime? {
        guard let word = value(name) else { return nil }
        guard let lifetime = EndpointLifetime.allCases.first(where: { "\($0)" == word }) else {
            throw wrong("\(name) must be one of \(EndpointLifetime.allCases.map { "\($0)" }.joined(separator: ", "))")
        }
        return lifetime
    }

    func deviceState(_ name: String) throws(CommandError) -> (DeviceState, isLocked: Bool) {
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
