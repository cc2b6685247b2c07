import PushStore

@testable import PushService

/// One notification of the model: its row in the store, and its visible events. Times are milliseconds.
struct ModelEntry {
    enum State: Equatable {
        /// On its way to the disk.
        case storing
        case queued
        case sending
        case parked
        case accepted
        case dead
        case expired
        /// Its sender got the answer that nothing was stored.
        case refused

        var isFinal: Bool {
            switch self {
            case .storing, .queued, .sending, .parked: false
            case .accepted, .dead, .expired, .refused: true
            }
        }
    }

    let id: Int
    let device: Int
    let lane: Lane
    /// False for a call, which has no collapse id.
    let isCollapsible: Bool
    /// Number of what it replaces on its device; nil for nothing.
    let word: Int?
    let attemptLimit: Int?
    let deadline: Int64
    /// The step of its request.
    let came: Int
    var state = State.storing
    var due: Int64 = 0
    var created: Int64 = 0
    /// True if some attempt has no answer: the push may have arrived.
    var maybeDuplicate = false
    var attemptCount = 0
    var lastWait: Int64 = 0
    /// The step at which its sender learned that it is stored.
    var acknowledged: Int?

    /// Its lease says that it goes behind no newer one.
    var yields = false
    /// Steps of its last choice and of that attempt's end.
    var chosenAt = 0
    var answeredAt = 0

    // For the checks.
    var pushCount = 0
    /// True once a push of it went out since it was marked.
    var isPushed = false
    /// True once it went out or was put off, in any process: it keeps no place any more.
    var isBegun = false
    var wasParked = false
    /// Pushes that ended in parking: not the notification's fault, so one more may follow its last.
    var parkCount = 0
    /// True if it was not queued before its first push.
    var wasHandedOver = false
    /// The process in which it was last put off, and the step at which that was known.
    var putOffIn: Int?
    var putOffAt = 0
    /// True if the last push has no answer, or none that says what became of it.
    var isOutcomeUnknown = false
    var endCount = 0

    /// As `OutboxEntry.isUntouched`.
    var isUntouched: Bool { attemptCount == 0 && due <= created }
    /// True if it is on the screen, or may come there.
    var isOut: Bool { state == .sending || state == .accepted || maybeDuplicate }

    func isReplaced(by other: ModelEntry) -> Bool {
        other.id > id && other.device == device && word != nil && other.word == word && other.isOut
    }

    var isRetry: Bool { attemptCount > 0 }
    /// True while it has a place in its device's order: nothing of it was tried or kept from being tried.
    var hasPlace: Bool { !isBegun && !wasParked && attemptCount == 0 && (state == .queued || state == .sending) }
}

/// A fault in the use of the values, which the model must find.
enum ModelMutant: CaseIterable {
    case overtakesQueued
    case leavesQueueWhenStored
    case forgetsReplays
    case forgetsWhatIsPutOff
    case knowsEverythingAtStart
    case sendsBeforeTheMark
    case sendsAgainAtOnce
    case ringsTwice
    case ignoresRates
    case losesFailedMarks
    case losesFailedOutcomes
    case endsTwice
    case countsNoAttempts
    case ignoresDueTimes
    case replacesNewer
    case sendsTwoOfAWord
    case forgetsThePassed
}
