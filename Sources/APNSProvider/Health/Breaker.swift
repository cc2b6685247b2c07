import Networking

/// Stops a client that mostly causes errors, before APNs closes its connections ("Handling notification responses from
/// APNs").
///
/// Closed, all pushes go; open, none; half open, one at a time until enough were good.
struct Breaker {
    static let windowAnswerCount = 100
    /// More refusals in a window open it.
    static let refusalCountMax = 50
    /// Consecutive good answers that close it.
    static let goodCountToClose = 10
    static let pauseMin: Duration = .seconds(1)
    static let pauseMax: Duration = .seconds(60)

    enum Phase: Equatable {
        case closed
        case open(until: MonotonicTime)
        case halfOpen(goodCount: Int)
    }

    private(set) var phase = Phase.closed
    private var answerCount = 0
    private var refusalCount = 0
    private var openedCount = 0

    /// Limit of pushes in flight; nil: none.
    mutating func inFlightMax(at now: MonotonicTime) -> Int? {
        switch phase {
        case .closed: return nil
        case .halfOpen: return 1
        case .open(let end):
            guard now >= end else { return 0 }
            phase = .halfOpen(goodCount: 0)
            return 1
        }
    }

    /// - Parameter isRefusal: Apple counts it as the provider's error.
    /// - Returns: true if it opened the breaker.
    mutating func didAnswer(isRefusal: Bool, at now: MonotonicTime) -> Bool {
        switch phase {
        // In flight when it opened.
        case .open: return false
        case .halfOpen(let goodCount):
            if isRefusal {
                open(at: now)
                return true
            }
            phase = goodCount + 1 < Self.goodCountToClose ? .halfOpen(goodCount: goodCount + 1) : .closed
            if phase == .closed { openedCount = 0 }
            return false
        case .closed:
            answerCount += 1
            if isRefusal { refusalCount += 1 }
            if refusalCount > Self.refusalCountMax {
                open(at: now)
                return true
            }
            if answerCount >= Self.windowAnswerCount { startWindow() }
            return false
        }
    }

    private mutating func open(at now: MonotonicTime) {
        openedCount += 1
        let pause = min(Self.pauseMax, Self.pauseMin * (1 << min(openedCount - 1, 6)))
        phase = .open(until: now + pause)
        startWindow()
    }

    private mutating func startWindow() {
        answerCount = 0
        refusalCount = 0
    }
}
