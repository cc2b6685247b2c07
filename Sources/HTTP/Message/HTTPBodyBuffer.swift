package enum HTTPBodyError: Equatable, Sendable {
    case tooLarge
    case noRoom
}

/// Incoming body. Its owner must call `discard` before releasing it.
struct HTTPBodyBuffer {
    private(set) var bytes: [UInt8] = []
    /// Bytes received.
    private(set) var byteCount = 0
    private var chargedByteCount = 0
    private var byteCountMax = Int.max
    /// Nil until the application has judged the head. Body bytes in the same piece cost nothing yet.
    private var share: HTTPBodyShare?
    private var isDiscarding = false

    /// Returns the fault if received bytes are discarded.
    mutating func keep(byteCountMax: Int, _ share: HTTPBodyShare, _ budget: HTTPBodyBudget) -> HTTPBodyError? {
        self.byteCountMax = byteCountMax
        self.share = share
        return charge(budget)
    }

    /// - Returns: fault, once, when the body is discarded.
    mutating func append(_ piece: UnsafeBufferPointer<UInt8>, _ budget: HTTPBodyBudget) -> HTTPBodyError? {
        byteCount += piece.count
        if !isDiscarding, byteCount <= byteCountMax { unsafe bytes.append(contentsOf: piece) }
        return charge(budget)
    }

    private mutating func charge(_ budget: HTTPBodyBudget) -> HTTPBodyError? {
        guard !isDiscarding else { return nil }
        guard byteCount <= byteCountMax else {
            discard(budget)
            return .tooLarge
        }
        // Allocated capacity counts, not length.
        guard let share, bytes.capacity > chargedByteCount else { return nil }
        guard budget.take(bytes.capacity - chargedByteCount, of: share) else {
            discard(budget)
            return .noRoom
        }
        chargedByteCount = bytes.capacity
        return nil
    }

    /// The memory counts until `discard`.
    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Discards the body and returns its memory. Harmless when repeated.
    mutating func discard(_ budget: HTTPBodyBudget) {
        isDiscarding = true
        bytes = []
        if let share { budget.give(chargedByteCount, of: share) }
        chargedByteCount = 0
    }
}
