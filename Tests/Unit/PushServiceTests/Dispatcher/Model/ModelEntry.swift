import PushStore

@testable import PushService

/// One notification of the model: what its store holds of it, and what was seen of it. Times are milliseconds.
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
        /// Its sender was told that nothing was stored.
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
    /// A call has no collapse id.
    let isCollapsible: Bool
    /// What it replaces, of its device's; nil: nothing.
    let word: Int?
    let attemptLimit: Int?
    let deadline: Int64
    /// The step at which its request came.
    let came: Int
    var state = State.storing
    var due: Int64 = 0
    /// When it was stored.
    var created: Int64 = 0
    /// Some attempt has no answer: it may be there.
    var maybeDuplicate = false
    var attemptCount = 0
    var lastWait: Int64 = 0
    /// The step at which its sender was told that it is stored.
    var acknowledged: Int?

    /// Its lease says that it goes behind no newer one.
    var yields = false
    /// The step at which it was chosen the last time, and the one at which that ended.
    var chosenAt = 0
    var answeredAt = 0

    // What was seen.
    var pushCount = 0
    /// A push of it went out since it was marked.
    var isPushed = false
    /// It went out or was put off in some life: it keeps no place any more.
    var isBegun = false
    var wasParked = false
    /// How many pushes ended so: they are not the notification's fault, and one more may follow its last.
    var parkCount = 0
    /// It had no stay in the queue before its first push.
    var wasHandedOver = false
    /// In which life of the process it was put off last, and at which step that was known.
    var putOffIn: Int?
    var putOffAt = 0
    /// The last push has no answer, or none that says what became of it.
    var isOutcomeUnknown = false
    var endCount = 0

    /// As `OutboxEntry.isUntouched`.
    var isUntouched: Bool { attemptCount == 0 && due <= created }
    /// It is on the screen, or may come there.
    var isOut: Bool { state == .sending || state == .accepted || maybeDuplicate }

    func isReplaced(by other: ModelEntry) -> Bool {
        other.id > id && other.device == device && word != nil && other.word == word && other.isOut
    }

    var isRetry: Bool { attemptCount > 0 }
    /// Its place in its device's order: nothing of it has been tried, and nothing kept it from being tried.
    var hasPlace: Bool { !isBegun && !wasParked && attemptCount == 0 && (state == .queued || state == .sending) }
}

/// A fault of whoever uses the values, which the model must find.
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
