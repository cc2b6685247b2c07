import APNS
import Envelope
import PushStore

/// Destination, from device and configuration.
enum PushDestination: Equatable {
    case push(token: DeviceToken, topic: Topic)
    /// Can never be sent; the word is its attempt's reason.
    case end(String)
    /// App missing in the configuration.
    case park

    init(
        _ entry: OutboxEntry,
        _ lookup: DeviceLookup,
        isConfigured: (_ bundleID: BundleID, APNSEnvironment) -> Bool
    ) {
        switch lookup {
        case .missing: self = .end("DeviceUnknown")
        case .damaged: self = .end("DeviceDamaged")
        case .found(let device):
            let bundleID = BundleID(of: entry.topic, entry.pushType)
            guard device.quarantine == nil else {
                self = .end("DeviceSetAside")
                return
            }
            // Its token is another app's now.
            guard device.topic.bytes == bundleID.bytes else {
                self = .end("DeviceOfOtherApp")
                return
            }
            guard isConfigured(bundleID, device.environment) else {
                self = .park
                return
            }
            guard let token = device.token(for: entry.pushType, entry.purpose) else {
                self = .end(Self.noToken(entry.purpose))
                return
            }
            guard let topic = Self.topic(of: entry) else {
                self = .end("BadTopic")
                return
            }
            self = .push(token: token, topic: topic)
        }
    }

    static func noToken(_ purpose: TokenPurpose?) -> String { purpose == nil ? "NoVoIPToken" : "NoToken" }

    private static func topic(of entry: OutboxEntry) -> Topic? {
        let bundleID = BundleID(of: entry.topic, entry.pushType)
        // An app's name may end like a suffix.
        guard let plain = try? Topic(bundleID: bundleID.text) else { return nil }
        return try? plain.appendingSuffix(of: entry.pushType)
    }
}
