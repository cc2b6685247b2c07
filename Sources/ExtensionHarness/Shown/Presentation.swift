/// Notification's place, urgency and sound.
public struct Presentation: Sendable, Equatable {
    /// Place on the device.
    public var place: Place
    /// Effective urgency: a level without its entitlement counts as an ordinary alert.
    public var level: ShownContent.InterruptionLevel
    /// Sound that plays, or the reason for silence.
    public var sound: Sound
    /// True if its badge, when present, becomes the number on the app's icon.
    public var setsBadge: Bool

    var isListed: Bool {
        switch place {
        case .banner, .list, .inApp(_, list: true): true
        case .inApp, .nowhere: false
        }
    }

    /// Place of a notification.
    public enum Place: Sendable, Equatable {
        /// On the screen at once, and in the list.
        case banner(Passage)
        /// In the list only, without lighting the screen.
        case list(ListReason)
        /// In the app in front, as `willPresent` asked: on the screen, in the list, both or neither.
        case inApp(banner: Bool, list: Bool)
        /// Nowhere.
        case nowhere(NowhereReason)
    }

    /// Reason why a notification reaches the screen.
    public enum Passage: Sendable, Equatable {
        /// No Focus is on.
        case noFocus
        /// The Focus allows this app.
        case allowedApp
        /// Time-sensitive: the Focus allows it, and the app may send it.
        case timeSensitive
        /// Critical alerts pass every Focus; the app may send them.
        case critical
    }

    /// Reason why a notification is only listed.
    public enum ListReason: Sendable, Equatable {
        /// Its interruption level is passive.
        case passive
        /// Provisional authorization.
        case provisional
        /// Held back by a Focus.
        case focus
    }

    /// Reason why nothing is shown.
    public enum NowhereReason: Sendable, Equatable {
        /// Notifications turned off by the person.
        case alertsOff
        /// Answered without text, as the filtering entitlement allows.
        case suppressed
        /// No text.
        case noAlertText
    }

    /// Sound of a notification.
    public enum Sound: Sendable, Equatable {
        /// No sound.
        case none
        /// The sound plays.
        case plays(ShownContent.Sound)
        /// The sound does not play.
        case silenced(Silence)
    }

    /// Reason why a sound does not play.
    public enum Silence: Sendable, Equatable {
        /// Ring switch at silent.
        case muted
        /// No interruption.
        case notInterrupting
        /// Not asked for by the app in front.
        case app
    }
}
