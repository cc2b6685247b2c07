import APNS
import DeviceLink
import HTTP
import Networking

extension SimulatorCore: SimulatorControl {
    var settings: SimulatorConfiguration { configuration }

    func change(_ name: String, to text: String) throws(SimulatorSettingError) -> SimulatorSetting {
        var changed = configuration
        let setting = try SimulatorSetting.apply(name, text, to: &changed)
        guard setting.appliesTo != .restart else { throw .needsRestart(name) }
        do throws(TLSError) { try adopt(changed) } catch { throw .notApplied(name) }
        return setting
    }

    var devices: [DeviceSummary] { directory.summaries }

    func app(of topic: Topic) -> RegisteredApp { directory.app(of: topic) }

    func enrolDevice(_ app: RegisteredApp) -> (number: Int, token: DeviceToken)? {
        do throws(DeviceError) {
            let token = try directory.enrol(app, salt: salt())
            keepTokens()
            return (number(of: token), token)
        } catch {
            return nil
        }
    }

    func register(_ registration: TokenRegistration, ofDevice number: Int) throws(DeviceError) -> DeviceToken? {
        let salt = salt()
        let known = try directory.register(registration, ofDevice: number, salt: salt, at: nowInMilliseconds)
        guard let (token, effects) = known else { return nil }
        perform(effects)
        return token
    }

    var deviceStates: [String] { ["app-removed"] + Self.states.map(\.name) }

    func setState(_ state: String, ofDevice number: Int) -> Bool {
        guard let token = directory.token(ofDevice: number) else { return false }
        guard let known = Self.states.first(where: { $0.name == state }) else {
            unregister(token, isExpired: false)
            return true
        }
        guard let effects = directory.change(device: number, to: known.state, at: nowInMilliseconds) else {
            return false
        }
        perform(effects)
        return true
    }

    private static let states: [(name: String, state: DeviceState)] = [
        ("normal", []), ("low-power", .lowPower), ("focus", .focus), ("notifications-off", .notificationsOff),
        ("app-running", .appRunning),
    ]

    func check(_ token: DeviceToken) -> TokenCheck {
        TokenCheck(environment: directory.report(on: token)?.environment, device: directory.summary(of: token))
    }

    func goAway(code: UInt32, debugData: [UInt8]) { pushServer?.goAway(code: code, debugData: debugData) }

    func journalEntries(after number: Int, limit: Int) -> [EventJournal.Entry] {
        journal?.entries(after: number, limit: limit) ?? []
    }
}
