import Envelope
import Keys
import NotificationCore
import Opening
import RelayClient

/// The constants that this app shares with its extension, and its device's settings. Nothing here needs UIKit: Linux
/// compiles and runs this file, too.
enum ChatDevice {
    /// In the entitlements of app and extension.
    static let appGroup = "group.com.example.chat"
    /// In the entitlements of app and extension, behind the team's prefix: prekeys.
    static let sharedKeychainGroup = "ABCDE12345.com.example.chat.shared"
    /// In the app's entitlements alone: the identity.
    static let appKeychainGroup = "ABCDE12345.com.example.chat"
    /// Address for receipts, and for requests for messages that could not be opened.
    static let relay = "https://push.example.com"

    /// Texts for a message that cannot be shown. The extension has the same.
    static let display = DisplayPolicy(
        texts: FailureTexts(
            title: "Acme Chat",
            newMessage: "You have a new message",
            expired: "A message arrived too late to be shown",
            updateNeeded: "Update Acme Chat to read this message",
            unlockNeeded: "Unlock to read a new message",
            neutral: "Your conversations are up to date"
        )
    )

    /// - Parameters:
    ///   - groupFolder: the container of the app group.
    ///   - supportFolder: "Application Support", which the extension cannot reach.
    static func settings(groupFolder: String, supportFolder: String) throws -> AppDevice.Settings {
        var settings = AppDevice.Settings(
            topic: try BundleID("com.example.chat"),
            containerPath: groupFolder,
            privatePath: supportFolder + "/SealedPush",
            display: display
        )
        settings.keepsReceipts = true                             // of messages that the app opens itself
        #if canImport(Darwin)
        return settings.keychain(KeychainGroups(shared: sharedKeychainGroup, app: appKeychainGroup))
        #else
        return settings
        #endif
    }
}

/// The app's own connection to its back end, on which the person is signed in.
protocol BackEnd: Sendable {
    /// Senders whose messages are shown: each one's public key, as its sender wrote it out, and a name.
    func friends() async throws -> [(key: String, name: String)]
    /// The time, past every cache, from a server other than the relay.
    func time() async throws -> Timestamp
    /// Registers this device: passes the JSON to the relay as it is, in `PUT /v1/devices/{id}`, and pins the identity
    /// for the person who is signed in.
    ///
    /// - Returns: the relay's answer, unchanged.
    func register(_ registration: [UInt8], identity: String) async throws -> [UInt8]
}

/// The answer to the request for the time took too long, or made no sense.
struct ClockUnconfirmed: Error {}

/// Runs at each launch, and whenever the app comes to the front; on no thread that draws.
func startDevice(
    _ settings: AppDevice.Settings,
    token: [UInt8],                                           // from Apple, by registerForRemoteNotifications
    voIPToken: [UInt8]? = nil,                                // from PushKit, for calls
    _ backEnd: some BackEnd,
    show: (NotificationContent) -> Void
) async throws -> AppDevice {
    let device: AppDevice
    switch try AppDevice.open(settings) {
    case .continued(let same): device = same
    case .newIdentity(let new): device = new                  // senders pin device.identity, by `register`
    case .remade(let same, because: _): device = same         // what was under way is lost
    }
    try device.openSpooled(show: show)                        // came while the device was locked
    try await device.confirmTime(backEnd.time)                // by confirmed time old keys are destroyed
    if case .clockUnconfirmed = try device.rotateIfDue(token: token) { throw ClockUnconfirmed() }

    var contacts = ContactList()                              // all others are shown as the placeholder
    for friend in try await backEnd.friends() {
        try contacts.add(Contact(key: SenderKey(text: friend.key), name: friend.name))
    }
    try device.setContacts(contacts)

    let registration = try DeviceRegistration(of: device, token: token, environment: .sandbox, voIPToken: voIPToken)
    let answer = try await backEnd.register(registration.json, identity: device.identity.text)
    try device.acknowledged(registration, answer: answer)
    try device.destroyDue()
    try await device.report(to: RelayClient(ChatDevice.relay))  // receipts, and what the extension could not open
    return device
}
