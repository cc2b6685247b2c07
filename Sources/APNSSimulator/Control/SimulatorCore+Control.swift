import APNS
import Transport

extension SimulatorCore: SimulatorControl {
    var settings: SimulatorConfiguration { configuration }

    /// For connections that come from now on; those that are open keep what they began with.
    func change(_ name: String, to text: String) throws(SimulatorSettingError) {
        try SimulatorSetting.apply(name, text, to: &configuration)
    }

    func moveClock(by seconds: Int64) { clockOffset += seconds }

    var devices: [DeviceSummary] { directory.summaries }

    func enrolDevice(bundleID: Topic) -> (number: Int, token: DeviceToken)? {
        // Connected and gone again: numbers below 0 are nobody's connection.
        let connection = -1
        do throws(DeviceRefused) {
            let (token, _) = try directory.connect(
                connection,
                bundleID: bundleID,
                earlierToken: nil,
                freshToken: freshToken(),
                now: now
            )
            _ = directory.disconnect(connection, now: now)
            return (directory.number(of: token) ?? 0, token)
        } catch {
            return nil
        }
    }

    var deviceStates: [String] { ["app-removed"] }

    func setState(_ state: String, ofDevice number: Int) -> Bool {
        precondition(deviceStates.contains(state))
        guard let token = directory.token(ofDevice: number) else { return false }
        unregister(token, isExpired: false)
        return true
    }

    func report(on token: DeviceToken) -> TokenReport {
        let device = directory.summary(of: token)
        return TokenReport(environment: device == nil ? nil : configuration.environment, device: device)
    }

    func goAway(code: UInt32, debugData: [UInt8]) { onGoAway?(code, debugData) }

    func journalEntries(after number: Int, limit: Int) -> [EventJournal.Entry] {
        journal?.entries(after: number, limit: limit) ?? []
    }
}
