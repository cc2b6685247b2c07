package import APNS
package import DeviceLink

extension DeviceDirectory {
    package var summaries: [DeviceSummary] { currentInstallations.map(summary) }

    package mutating func summary(of token: DeviceToken) -> DeviceSummary? { installation(of: token).map(summary) }

    /// Token of a device's first app.
    package func token(ofDevice number: Int) -> DeviceToken? {
        installation(ofDevice: number).map { token(of: $0) }
    }

    /// `nil` unless the device is connected.
    package mutating func change(device number: Int, to state: DeviceState, at now: Int64) -> [Effect]? {
        guard let connection = installation(ofDevice: number).flatMap({ connection(of: $0) }) else { return nil }
        return change(connection, to: state, at: now)
    }

    func installation(ofDevice number: Int) -> UInt32? {
        currentInstallations.first { summary($0).number == number }
    }
}
