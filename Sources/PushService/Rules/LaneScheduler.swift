package import PushStore

/// Chooses the queue of the next push, and a fresh one or a retry.
///
/// In each round a queue may send its share, the most urgent first. An urgent push at an empty queue waits for at most
/// `othersBeforeUrgentMax` others, and no queue starves. Less urgent queues may use only a part of the pushes in
/// flight.
///
/// - Source: deficit round robin (Shreedhar and Varghese 1995), equal packet sizes, priority within the round.
package struct LaneScheduler: Sendable {
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
        package let isRetry: Bool
    }

    /// Pushes in one round of 21.
    package static let shares = Counts(urgent: 16, normal: 4, background: 1)
    /// Most pushes of others before one at an empty urgent queue.
    package static let othersBeforeUrgentMax = shares.normal + shares.background
    /// One in this many is a retry while fresh ones wait, so that failures do not starve them.
    package static let retryInterval = 4

    private var inFlightMax: Counts
    private var credit = shares
    private var sinceRetry = Counts()
    private(set) var inFlight = Counts()

    /// - Parameter inFlightMax: unanswered pushes, 8 or more. Normal and background together get seven eighths,
    ///   background a half.
    package init(inFlightMax: Int) {
        self.inFlightMax = Self.limits(inFlightMax)
    }

    /// Pushes in flight beyond the new limit finish first.
    package mutating func adopt(inFlightMax: Int) { self.inFlightMax = Self.limits(inFlightMax) }

    private static func limits(_ inFlightMax: Int) -> Counts {
        precondition(inFlightMax >= 8)
        return Counts(urgent: inFlightMax, normal: inFlightMax - inFlightMax / 8, background: inFlightMax / 2)
    }

    /// - Returns: nil if nothing may be sent now.
    package mutating func next(fresh: Counts, retries: Counts) -> Choice? {
        let ready = Lane.allCases.filter { fresh[$0] + retries[$0] > 0 && hasRoom($0) }
        guard !ready.isEmpty else { return nil }
        if !ready.contains(where: { credit[$0] > 0 }) { credit = Self.shares }
        guard let lane = ready.first(where: { credit[$0] > 0 }) else { return nil }
        credit[lane] -= 1
        inFlight[lane] += 1
        return Choice(lane: lane, isRetry: takesRetry(lane, fresh: fresh[lane], retries: retries[lane]))
    }

    /// Reserves room for pushes that have not waited, all or none. Waiting items come first, but an urgent push with
    /// credit may overtake other queues'.
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
