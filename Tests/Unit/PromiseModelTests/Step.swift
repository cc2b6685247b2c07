import Envelope

/// One event in the world. Dropping it from a schedule leaves the others their meaning: messages are numbered from the
/// newest.
enum Step: Hashable {
    /// The honest sender seals a message that lives for an hour, and the relay delivers it.
    case message(Arrival, ProtectionClass = .afterFirstUnlock)
    /// It seals one that lives for a day, or for seven, and the relay keeps it back.
    case seal(days: UInt64, ProtectionClass = .afterFirstUnlock)
    /// A contact that signs any time seals a message, and the relay delivers it.
    case hostileMessage(SignedTime, Arrival)
    /// The relay delivers a message, for the first time or again.
    case deliver(back: Int, Arrival)
    /// The extension shows the messages that it has opened.
    case show
    /// iOS ends the extension before it has shown anything.
    case killExtension
    /// The app comes to the front and runs its loop.
    case launch(Launch)
    /// As many weeks, with a launch at the end of each.
    case weeks(Int)
    /// The device gets another token so many times, and the app learns of each.
    case newTokens(Int)
    case pass(Pause)
    /// The wall clock continues from there.
    case clock(Jump)
    case freezeClock
    /// The source of the time is wrong, an hour ahead, and the app believes it.
    case wrongTime
    /// The app gets the time's answer to a request of so long ago, or of before a restart.
    case lateTime(Pause)
    case reboot
    case lock
    case unlock
    case relay(Relay)
    /// The honest sender fetches the bundle earlier than it must.
    case fetch

    enum Arrival: Hashable {
        case shown
        /// Opened, and not shown yet.
        case leftOpen
        /// The process is ended between the claim and the screen.
        case killed
        /// The process is ended at this disk step, if opening the message takes so many.
        case endedOpening(step: Int)
        /// The same while it records that the message was shown.
        case endedShowing(step: Int)
        /// Two processes have it at the same time. Each reads its clock before either takes the lock; the second has
        /// read its clock so much later.
        case raced(milliseconds: Int64)
    }

    enum SignedTime: Hashable {
        case trueTime
        case deviceTime
        /// Ahead of the device's clock, within the skew.
        case deviceTimeAndSkew
        case trueTimeAndYear
    }

    struct Launch: Hashable {
        /// True if the source of the time answers.
        var confirms = true
        /// True for a new process instead of a running one: the same but for `open`, since nothing is kept in memory.
        /// It reads the whole replay window, and takes as long as ten other steps.
        var isCold = false
        /// Call after which the process is ended.
        var killedAfter: AppCall?
        /// Call and disk step at which the process is ended, if the call takes so many.
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
        /// It has the bundle and does not confirm it.
        case withholdsAcknowledgements
        /// It confirms the bundle and hands out the first one.
        case fakesAcknowledgements
        /// It hands out the first one.
        case handsOutOldest
    }

    static let launch = Step.launch(Launch())
}
