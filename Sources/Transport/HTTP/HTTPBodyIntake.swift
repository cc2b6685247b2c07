/// The memory for the bodies of all requests of a server. Lives on its loop.
final class HTTPBodyBudget {
    let byteCountMax: Int
    private(set) var byteCount = 0
    private(set) var highestByteCount = 0

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// - Returns: whether there was so much left.
    func take(_ count: Int) -> Bool {
        guard byteCount + count <= byteCountMax else { return false }
        byteCount += count
        highestByteCount = max(highestByteCount, byteCount)
        return true
    }

    func give(_ count: Int) {
        byteCount -= count
        precondition(byteCount >= 0, "given back twice")
    }
}

/// Why a body is not kept.
package enum HTTPBodyFault: Equatable, Sendable {
    /// It is longer than it may be.
    case tooLarge
    /// The budget for bodies is used up.
    case noRoom
}

/// A body while it comes: what is kept of it, and what that takes of the budget. A value of its stream's or connection's;
/// whoever lets go of it calls `discard` first.
struct HTTPBodyIntake {
    private(set) var bytes: [UInt8] = []
    /// What came.
    private(set) var byteCount = 0
    private var chargedByteCount = 0
    private var byteCountMax = Int.max
    private var isDiscarding = false

    /// Nothing longer is kept.
    ///
    /// - Returns: `.tooLarge` when what has come is longer already; it is gone then.
    mutating func limit(to byteCountMax: Int, _ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        self.byteCountMax = byteCountMax
        guard byteCount > byteCountMax, !isDiscarding else { return nil }
        discard(budget)
        return .tooLarge
    }

    /// - Returns: why nothing of the body is kept from now on, once.
    mutating func append(_ piece: UnsafeBufferPointer<UInt8>, _ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        byteCount += piece.count
        guard !isDiscarding else { return nil }
        guard byteCount <= byteCountMax else {
            discard(budget)
            return .tooLarge
        }
        unsafe bytes.append(contentsOf: piece)
        // What the list has taken of the memory, and not what lies in it.
        guard bytes.capacity > chargedByteCount else { return nil }
        guard budget.take(bytes.capacity - chargedByteCount) else {
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
        budget.give(chargedByteCount)
        chargedByteCount = 0
    }
}
