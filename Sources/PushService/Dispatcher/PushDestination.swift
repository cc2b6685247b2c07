import APNS
import PushStore

/// Where a taken notification goes, by its device's row and the configuration. A value.
enum PushDestination: Equatable {
    case push(token: DeviceToken, topic: Topic)
    /// It cannot be sent, now or later; the word is for its attempt.
    case end(String)
    /// It could be sent if the configuration had what it needs.
    case park

    /// - Parameters:
    ///   - entry: what was taken.
    ///   - lookup: of its device.
    ///   - isConfigured: whether the tenant has this app in this environment.
    init(
        _ entry: OutboxEntry,
        _ lookup: DeviceLookup,
        isConfigured: (_ bundleID: String, APNSEnvironment) -> Bool
    ) {
        switch lookup {
        case .missing: self = .end("DeviceUnknown")
        case .damaged: self = .end("DeviceDamaged")
        case .found(let device):
            let bundleID = Self.bundleID(of: entry)
            guard device.quarantine == nil else {
                self = .end("DeviceSetAside")
                return
            }
            // Its token is another app's by now.
            guard device.topic.description == bundleID else {
                self = .end("DeviceOfOtherApp")
                return
            }
            guard isConfigured(bundleID, device.environment) else {
                self = .park
                return
            }
            guard let token = entry.pushType == .voip ? device.voIPToken : device.token else {
                self = .end("NoVoIPToken")
                return
            }
            guard let topic = Self.topic(of: entry) else {
                self = .end("BadTopic")
                return
            }
            self = .push(token: token, topic: topic)
        }
    }

    /// The app: the topic without the suffix of the push type, if it has that.
    static func bundleID(of entry: OutboxEntry) -> String { bundleID(of: entry.topic, entry.pushType) }

    static func bundleID(of topic: Topic, _ pushType: PushType) -> String {
        let text = topic.description
        let suffix = pushType.topicSuffix
        guard !suffix.isEmpty, topic.hasSuffix(of: pushType), text.hasSuffix(suffix) else { return text }
        return String(text.dropLast(suffix.count))
    }

    private static func topic(of entry: OutboxEntry) -> Topic? {
        let bundleID = bundleID(of: entry)
        // An app may be called as if it had another type's suffix.
        guard let plain = try? Topic(bundleID: bundleID) else { return nil }
        return try? plain.appendingSuffix(of: entry.pushType)
    }
}
