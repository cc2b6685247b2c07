/// How a notification appears, and whether it is heard.
public struct Presentation: Sendable, Equatable {
    /// Where the person meets it.
    public var place: Place
    /// How urgent it is to iOS: what the app is not entitled to counts as an ordinary alert.
    public var level: ShownContent.InterruptionLevel
    /// Whether it is heard.
    public var sound: Sound
    /// Whether its badge, where it has one, becomes the number on the app's icon.
    public var setsBadge: Bool

    /// Whether the list has it.
    var isListed: Bool {
        switch place {
        case .banner, .list, .inApp(_, list: true): true
        case .inApp, .nowhere: false
        }
    }

    /// Where the person meets a notification.
    public enum Place: Sendable, Equatable {
        /// On the screen at once, and in the list.
        case banner(Passage)
        /// In the list only, without lighting the screen.
        case list(ListReason)
        /// In the app that is in front, as its delegate's `willPresent` asked: on the screen, in the list, both or neither.
        case inApp(banner: Bool, list: Bool)
        /// Nowhere.
        case nowhere(NowhereReason)
    }

    /// What let a notification onto the screen.
    public enum Passage: Sendable, Equatable {
        /// No Focus was on.
        case noFocus
        /// The Focus allows this app.
        case allowedApp
        /// The Focus lets time-sensitive notifications through, and the app may send them.
        case timeSensitive
        /// Critical alerts pass every Focus, and the app may send them.
        case critical
    }

    /// Why a notification is only listed.
    public enum ListReason: Sendable, Equatable {
        /// Its interruption level is passive.
        case passive
        /// The app has provisional authorization.
        case provisional
        /// A Focus holds it back.
        case focus
    }

    /// Why nothing is shown.
    public enum NowhereReason: Sendable, Equatable {
        /// The person turned the app's notifications off.
        case alertsOff
        /// The extension answered without text, which the filtering entitlement allows.
        case suppressed
        /// There is nothing to read in it.
        case noAlertText
    }

    /// Whether a notification is heard.
    public enum Sound: Sendable, Equatable {
        /// Its content has none.
        case none
        /// Its sound plays.
        case plays(ShownContent.Sound)
        /// Its sound does not play.
        case silenced(Silence)
    }

    /// Why a sound does not play.
    public enum Silence: Sendable, Equatable {
        /// The ring switch is at silent.
        case muted
        /// The notification does not interrupt.
        case notInterrupting
        /// The app in front did not ask for it.
        case app
    }
}
