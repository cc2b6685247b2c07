struct ScaledClock: Clock {
    struct Instant: InstantProtocol {
        /// Time since the clock was made.
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let scale: Double
    private let start = ContinuousClock.now

    init(scale: Double) {
        self.scale = scale
    }

    var now: Instant { Instant(offset: (ContinuousClock.now - start) * scale) }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let clock = ContinuousClock()
        try await clock.sleep(until: start + deadline.offset / scale, tolerance: tolerance.map { $0 / scale })
    }
}
