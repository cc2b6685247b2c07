extension Message {
    /// What a device shall do. Whether it does is decided there: by role, rights and order (docs/protocol.md, sections 11
    /// and 12).
    public enum Operation: Hashable, Sendable {
        /// Show a new notification.
        case show
        /// Show it in the place of one of the same sender's.
        case replace(MessageID)
        /// Take one of the same sender's off the screen. It deletes nothing from iOS's own store.
        case remove(MessageID)
        /// Set the number on the app's icon, and show nothing new.
        case badge
        /// Hand a call to the app: opaque here, and only while it is fresh.
        case call(String)
        /// Open and check like `show`, and show the app's own words.
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

        /// What shows no text of the sender's shows no files of the sender's.
        var takesAttachments: Bool { needsText }
    }

    /// The longest life of a call, from sent-at to expires-at: devices refuse a longer one, since a phone that rings for
    /// a call that is over is worse than one that does not.
    public static let callLifetimeMax: Duration = .seconds(60)

    /// What kind of push carries it. A call wakes the app itself; iOS ends an app that is woken so and reports no call
    /// (Apple, "Responding to VoIP Notifications from PushKit").
    package var pushClass: PushClass {
        if case .call = operation { .voip } else { .alert }
    }
}
