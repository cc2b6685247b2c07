package import APNS
package import DeviceLink

/// Simulator as the control API sees it: the only interface between API and engines. On the loop; does not block.
package protocol SimulatorControl: AnyObject {
    var settings: SimulatorConfiguration { get }
    /// - Throws: unknown name, bad value, required restart, or TLS failure.
    func change(_ name: String, to text: String) throws(SimulatorSettingError) -> SimulatorSetting

    /// Seconds since 1970, on the simulator's clock.
    var now: Int64 { get }
    var clockOffset: Int64 { get }
    /// Negative moves it back.
    func moveClock(by seconds: Int64)

    var faults: InjectedFaults { get set }

    var devices: [DeviceSummary] { get }
    func app(of topic: Topic) -> RegisteredApp
    /// Creates an offline device, which stores pushes; nil if there are too many.
    func enrolDevice(_ app: RegisteredApp) -> (number: Int, token: DeviceToken)?
    /// - Returns: nil for an unknown one.
    /// - Throws: if there are too many.
    func register(_ registration: TokenRegistration, ofDevice number: Int) throws(DeviceError) -> DeviceToken?
    var deviceStates: [String] { get }
    /// - Returns: false if unknown, or if it must be connected.
    func setState(_ state: String, ofDevice number: Int) -> Bool
    func check(_ token: DeviceToken) -> TokenCheck

    func goAway(code: UInt32, debugData: [UInt8])

    /// Newest first.
    func deliveries(_ query: DeliveryLog.Query, countMax: Int) -> [DeliveryLog.Entry]

    func journalEntries(after number: Int, limit: Int) -> [EventJournal.Entry]
}

package struct TokenCheck: Sendable, Equatable {
    /// Nil: not readable here.
    package var environment: APNSEnvironment?
    package var device: DeviceSummary?

    package init(environment: APNSEnvironment?, device: DeviceSummary?) {
        self.environment = environment
        self.device = device
    }

    package var isActive: Bool { device.map { $0.inactivity == nil } ?? false }

    package var why: String? {
        if device == nil, let environment {
            return "it is a token of \(environment.rawValue) that this simulator does not know: 400 BadDeviceToken"
        }
        guard let device else { return "this simulator never issued it: pushes are answered 400 BadDeviceToken" }
        return device.inactivity
    }
}
