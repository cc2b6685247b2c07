package import APNS
package import DeviceLink

/// What the control API asks of a simulator. On its loop; nothing here blocks.
///
/// The one seam between the API and the engines: whoever changes how devices, time or faults work changes the
/// implementation, and no call.
package protocol SimulatorControl: AnyObject {
    /// What the simulator was started with, as changed since.
    var settings: SimulatorConfiguration { get }
    /// - Returns: the setting.
    /// - Throws: which names there are, what the setting takes, or that it needs a restart.
    func change(_ name: String, to text: String) throws(SimulatorSettingError) -> SimulatorSetting

    /// Seconds since 1970, as everything in the simulator sees it.
    var now: Int64 { get }
    /// Seconds that somebody has moved it by.
    var clockOffset: Int64 { get }
    /// Later by so many seconds; earlier for less than 0.
    func moveClock(by seconds: Int64)

    var faults: InjectedFaults { get set }

    var devices: [DeviceSummary] { get }
    /// The app that a topic names, and the kind of its pushes.
    func app(of topic: Topic) -> RegisteredApp
    /// A device that nobody holds: its pushes are stored.
    ///
    /// - Returns: its token, for the caller alone; nil when there are too many.
    func enrolDevice(_ app: RegisteredApp) -> (number: Int, token: DeviceToken)?
    /// The app on a device registers for another kind of push.
    ///
    /// - Returns: the token, for the caller alone; nil for a number of nobody.
    /// - Throws: when there are too many.
    func register(_ registration: TokenRegistration, ofDevice number: Int) throws(DeviceRefused) -> DeviceToken?
    /// What `setState` takes.
    var deviceStates: [String] { get }
    /// - Returns: false for a number of nobody, and where the device would have to be there.
    func setState(_ state: String, ofDevice number: Int) -> Bool
    func check(_ token: DeviceToken) -> TokenCheck

    /// Says GOAWAY on every provider's connection; how many there were is known later.
    func goAway(code: UInt32, debugData: [UInt8])

    /// The ends of pushes, newest first, at most so many.
    func deliveries(_ query: DeliveryLog.Query, countMax: Int) -> [DeliveryLog.Entry]

    func journalEntries(after number: Int, limit: Int) -> [EventJournal.Entry]
}

/// What a device token is worth.
package struct TokenCheck: Sendable, Equatable {
    /// Nil: of neither environment that this simulator knows.
    package var environment: APNSEnvironment?
    package var device: DeviceSummary?

    package init(environment: APNSEnvironment?, device: DeviceSummary?) {
        self.environment = environment
        self.device = device
    }

    package var isActive: Bool { device.map { $0.inactivity == nil } ?? false }

    /// Why pushes to it are refused; nil where they are not.
    package var why: String? {
        if device == nil, let environment {
            return "it is a token of \(environment.rawValue) that this simulator does not know: 400 BadDeviceToken"
        }
        guard let device else { return "this simulator never gave it out: pushes are answered 400 BadDeviceToken" }
        return device.inactivity
    }
}
