/// Why a body is not kept.
package enum HTTPBodyFault: Equatable, Sendable {
    /// It is longer than it may be.
    case tooLarge
    /// The budget for bodies is used up.
    case noRoom
}

/// A body while it comes: what is kept of it, and what that takes of the budget. A value of its stream's or connection's,
/// which calls `discard` before it lets go of it.
struct HTTPBodyIntake {
    private(set) var bytes: [UInt8] = []
    /// What came.
    private(set) var byteCount = 0
    private var chargedByteCount = 0
    private var byteCountMax = Int.max
    /// Nil until the application has judged the request's head. What came of the body by then came in the same piece as the
    /// head, and costs nothing yet.
    private var share: HTTPBodyShare?
    private var isDiscarding = false

    /// Keeps the body, up to a length, at the cost of a share.
    ///
    /// - Returns: why what has come already is gone; nil where it is kept.
    mutating func keep(byteCountMax: Int, _ share: HTTPBodyShare, _ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        self.byteCountMax = byteCountMax
        self.share = share
        return charge(budget)
    }

    /// - Returns: why nothing of the body is kept from now on, once.
    mutating func append(_ piece: UnsafeBufferPointer<UInt8>, _ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        byteCount += piece.count
        if !isDiscarding, byteCount <= byteCountMax { unsafe bytes.append(contentsOf: piece) }
        return charge(budget)
    }

    private mutating func charge(_ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        guard !isDiscarding else { return nil }
        guard byteCount <= byteCountMax else {
            discard(budget)
            return .tooLarge
        }
        // What the list has taken of the memory, and not what lies in it.
        guard let share, bytes.capacity > chargedByteCount else { return nil }
        guard budget.take(bytes.capacity - chargedByteCount, of: share) else {
            discard(budget)
            return .noRoom
        }
        chargedByteCount = bytes.capacity
        return nil
    }

    /// The body goes to the application; its memory counts until `discard`.
    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Keeps nothing from now on, and gives the memory back. Harmless when it is repeated.
    mutating func discard(_ budget: HTTPBodyBudget) {
        isDiscarding = true
        bytes = []
        if let share { budget.give(chargedByteCount, of: share) }
        chargedByteCount = 0
    }
}
