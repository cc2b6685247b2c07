package import APNS
package import DeviceLink

/// What somebody who looks after the simulator may know and do.
extension DeviceDirectory {
    /// In the order of their numbers; an app that has a newer token on its device is not among them.
    package var summaries: [DeviceSummary] { currentInstallations.map(summary) }

    /// The device of a token; `nil` for a token of nobody.
    package mutating func summary(of token: DeviceToken) -> DeviceSummary? { installation(of: token).map(summary) }

    /// The token of a device's first app.
    package func token(ofDevice number: Int) -> DeviceToken? {
        installation(ofDevice: number).map { token(of: $0) }
    }

    /// The device is so from now on, as if it had said so.
    ///
    /// - Parameters:
    ///   - number: our own name for it.
    ///   - state: how it is.
    ///   - now: milliseconds since 1970.
    /// - Returns: what follows; `nil` for a device that is not there.
    package mutating func change(device number: Int, to state: DeviceState, at now: Int64) -> [Effect]? {
        guard let connection = installation(ofDevice: number).flatMap({ connection(of: $0) }) else { return nil }
        return change(connection, to: state, at: now)
    }

    func installation(ofDevice number: Int) -> UInt32? {
        currentInstallations.first { summary($0).number == number }
    }
}
