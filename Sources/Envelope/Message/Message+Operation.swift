extension Message {
    /// Requested operation, subject to role, rights and order (docs/protocol.md, sections 11 and 12).
    public enum Operation: Hashable, Sendable {
        /// Shows a new notification.
        case show
        /// Replaces one of the same sender.
        case replace(MessageID)
        /// Removes one of the same sender from the screen, not from iOS's own store.
        case remove(MessageID)
        /// Sets the number on the app's icon, and shows nothing.
        case badge
        /// Passes an opaque, fresh call to the app.
        case call(String)
        /// Opens and checks like `show`, but shows the app's own text.
        case test

        var name: String {
            switch self {
            case .show: "show"
            case .replace: "replace"
            case .remove: "remove"
            case .badge: "badge"
            case .call: "call"
            case .test: "test"
            }
        }

        var needsText: Bool {
            switch self {
            case .show, .replace: true
            case .remove, .badge, .call, .test: false
            }
        }

        /// Operations without the sender's text show no files either.
        var takesAttachments: Bool { needsText }
    }

    /// 60 s from sent-at to expires-at. Devices refuse longer calls, so that no phone rings for an ended one.
    public static let callLifetimeMax: Duration = .seconds(60)

    /// VoIP pushes wake the app; without a reported call iOS ends it (Apple, "Responding to VoIP Notifications from
    /// PushKit").
    package var pushClass: PushClass {
        if case .call = operation { .voip } else { .alert }
    }
}
