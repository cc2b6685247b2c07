package import PushStore

/// Which lane the next push is taken from, and whether it is a fresh one or one that is tried again.
///
/// Rounds of credits: in each, a lane may send as often as its share. Of the lanes that have something waiting and credit
/// left, the most urgent goes first; when none has credit, the next round begins. So an urgent push that arrives at an empty
/// lane finds at most what the other lanes have left of one round before it (`othersBeforeUrgentMax`), however much waits
/// there, and usually nothing; and every lane gets its share of every round, so none starves.
///
/// What awaits Apple's answer is limited too: the less urgent lanes may not fill the whole of it.
///
/// - Source: deficit round robin (Shreedhar and Varghese 1995) with equal packet sizes, and priority within the round.
package struct LaneScheduler: Sendable {
    /// A number for each lane.
    package struct Counts: Equatable, Sendable {
        package var urgent: Int
        package var normal: Int
        package var background: Int

        package init(urgent: Int = 0, normal: Int = 0, background: Int = 0) {
            self.urgent = urgent
            self.normal = normal
            self.background = background
        }

        package subscript(lane: Lane) -> Int {
            get {
                switch lane {
                case .urgent: urgent
                case .normal: normal
                case .background: background
                }
            }
            set {
                switch lane {
                case .urgent: urgent = newValue
                case .normal: normal = newValue
                case .background: background = newValue
                }
            }
        }
    }

    package struct Choice: Equatable, Sendable {
        package let lane: Lane
        /// One that was tried before.
        package let isRetry: Bool
    }

    /// Of one round of 21.
    package static let shares = Counts(urgent: 16, normal: 4, background: 1)
    /// How many pushes of other lanes can stand before one that arrives at an empty urgent lane.
    package static let othersBeforeUrgentMax = shares.normal + shares.background
    /// While fresh ones wait, one in so many is a retry: a backlog of failures does not starve what is new.
    package static let retryInterval = 4

    private var inFlightMax: Counts
    private var credit = shares
    private var sinceRetry = Counts()
    private(set) var inFlight = Counts()

    /// - Parameter inFlightMax: pushes that may await an answer, all lanes together; 8 or more. Of it normal and background
    ///   pushes may have seven eighths, and background pushes a half.
    package init(inFlightMax: Int) {
        self.inFlightMax = Self.limits(inFlightMax)
    }

    /// Another limit from now on. What is in flight beyond it has its answer first.
    ///
    /// - Parameter inFlightMax: as in `init`.
    package mutating func adopt(inFlightMax: Int) { self.inFlightMax = Self.limits(inFlightMax) }

    private static func limits(_ inFlightMax: Int) -> Counts {
        precondition(inFlightMax >= 8)
        return Counts(urgent: inFlightMax, normal: inFlightMax - inFlightMax / 8, background: inFlightMax / 2)
    }

    /// Takes the next turn.
    ///
    /// - Parameters:
    ///   - fresh: how many wait that have not been tried.
    ///   - retries: how many wait whose time has come again.
    /// - Returns: nil when nothing may be sent now.
    package mutating func next(fresh: Counts, retries: Counts) -> Choice? {
        let ready = Lane.allCases.filter { fresh[$0] + retries[$0] > 0 && hasRoom($0) }
        guard !ready.isEmpty else { return nil }
        if !ready.contains(where: { credit[$0] > 0 }) { credit = Self.shares }
        guard let lane = ready.first(where: { credit[$0] > 0 }) else { return nil }
        credit[lane] -= 1
        inFlight[lane] += 1
        return Choice(lane: lane, isRetry: takesRetry(lane, fresh: fresh[lane], retries: retries[lane]))
    }

    /// Room for pushes that go out without having waited. What waits has its room first; an urgent one may go before what
    /// waits in the other lanes as often as in its turns.
    ///
    /// - Parameters:
    ///   - count: how many, all or none.
    ///   - lane: theirs.
    ///   - waiting: what waits, of each lane.
    /// - Returns: whether they may go.
    package mutating func reserve(_ count: Int, in lane: Lane, beside waiting: Counts) -> Bool {
        var all = inFlight
        for other in Lane.allCases { all[other] += waiting[other] }
        all[lane] += count
        let total = all.urgent + all.normal + all.background
        var hasRoom = total <= inFlightMax.urgent
        switch lane {
        case .urgent:
            let isItsTurn = total - waiting.normal - waiting.background <= inFlightMax.urgent && credit.urgent >= count
            if !hasRoom, isItsTurn {
                credit.urgent -= count
                hasRoom = true
            }
        case .normal: hasRoom = hasRoom && all.normal + all.background <= inFlightMax.normal
        case .background: hasRoom = all.background <= inFlightMax.background && total <= inFlightMax.normal
        }
        if hasRoom { inFlight[lane] += count }
        return hasRoom
    }

    /// A push of the lane has its answer, or none will come.
    package mutating func didFinish(_ lane: Lane) {
        precondition(inFlight[lane] > 0)
        inFlight[lane] -= 1
    }

    private mutating func takesRetry(_ lane: Lane, fresh: Int, retries: Int) -> Bool {
        guard fresh > 0 else { return true }
        guard retries > 0 else { return false }
        sinceRetry[lane] += 1
        guard sinceRetry[lane] >= Self.retryInterval else { return false }
        sinceRetry[lane] = 0
        return true
    }

    private func hasRoom(_ lane: Lane) -> Bool {
        let total = inFlight.urgent + inFlight.normal + inFlight.background
        guard total < inFlightMax.urgent else { return false }
        switch lane {
        case .urgent: return true
        case .normal: return inFlight.normal + inFlight.background < inFlightMax.normal
        case .background: return inFlight.background < inFlightMax.background && total < inFlightMax.normal
        }
    }
}
