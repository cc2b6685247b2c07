import Envelope

/// One thing that happens in the world. Dropped from a schedule, it leaves the others their meaning: messages are
/// numbered from the newest.
enum Step: Hashable {
    /// The honest sender seals a message that lives for an hour, and the relay delivers it.
    case message(Arrival, ProtectionClass = .afterFirstUnlock)
    /// It seals one that lives for a day, or for seven, and the relay keeps it back.
    case seal(days: UInt64, ProtectionClass = .afterFirstUnlock)
    /// A contact that signs any time seals a message, and the relay delivers it.
    case hostileMessage(SignedTime, Arrival)
    /// The relay delivers a message, for the first time or again.
    case deliver(back: Int, Arrival)
    /// The extension shows what it has opened.
    case show
    /// iOS ends the extension before it has shown anything.
    case killExtension
    /// The app comes to the front and does what its loop says.
    case launch(Launch)
    /// As many weeks, with a launch at the end of each.
    case weeks(Int)
    /// The device gets another token, as often as that, and the app hears of it each time.
    case newTokens(Int)
    case pass(Pause)
    /// The wall clock goes on from there.
    case clock(Jump)
    /// The wall clock stands still.
    case freezeClock
    /// The source of the time is wrong, an hour ahead, and the app believes it.
    case wrongTime
    /// The app hears from the source of the time what was asked for so long ago, or before a restart.
    case lateTime(Pause)
    case reboot
    case lock
    case unlock
    case relay(Relay)
    /// The honest sender asks for the bundle again before it must.
    case fetch

    enum Arrival: Hashable {
        case shown
        /// Opened, and not shown yet.
        case leftOpen
        /// The process is ended between the claim and the screen.
        case killed
        /// The process is ended at this step on disk, if it takes so many until it has opened the message.
        case endedOpening(step: Int)
        /// The same while it notes that the message was shown.
        case endedShowing(step: Int)
        /// Two processes have it at the same time. Each reads its clock before either takes the lock; the second to
        /// take it has read the clock so much later.
        case raced(milliseconds: Int64)
    }

    /// When a message says that it was sent.
    enum SignedTime: Hashable {
        case trueTime
        case deviceTime
        /// Ahead of the device's clock, within what it takes.
        case deviceTimeAndSkew
        case trueTimeAndYear
    }

    struct Launch: Hashable {
        /// Whether the source of the time answers.
        var confirms = true
        /// A process that starts, rather than one that goes on: the same but for `open`, since nothing is kept in memory.
        /// It reads the whole replay window, and takes as long as ten other steps.
        var isCold = false
        /// The process is ended after this call.
        var killedAfter: AppCall?
        /// The process is ended in this call, at this step on disk, if the call takes so many.
        var ending: Ending?
    }

    struct Ending: Hashable {
        let call: AppCall
        let step: Int
    }

    /// The loop, in its order.
    enum AppCall: Hashable, CaseIterable {
        case open, confirmTime, openSpooled, rotate, upload, acknowledge, collectResends, destroy
    }

    enum Pause: Hashable {
        case milliseconds(UInt64), seconds(UInt64), hours(UInt64), days(UInt64)

        var milliseconds: UInt64 {
            switch self {
            case .milliseconds(let count): count
            case .seconds(let count): count * 1_000
            case .hours(let count): count * 3_600_000
            case .days(let count): count * 86_400_000
            }
        }
    }

    enum Jump: Hashable {
        case right
        case by(Pause), back(Pause)
    }

    enum Relay: Hashable {
        case honest
        /// It has the bundle and does not say so.
        case withholdsAcknowledgements
        /// It says that it has the bundle and hands out the first one.
        case fakesAcknowledgements
        /// It hands out the first one.
        case handsOutOldest
    }

    static let launch = Step.launch(Launch())
}
