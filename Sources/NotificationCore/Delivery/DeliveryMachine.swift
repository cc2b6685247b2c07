/// One push from arrival to replay window. Events in, actions out; no clock, thread or lock.
///
///     opening ──opened──► fetching ──fetched, slice or time over──► answering ──► remembering ──► done
///        │                                                           ▲   │                         ▲
///        ├──opened, without attachments──────────────────────────────┤   └──nothing was opened─────┘ kept for the app
///        └──time over: the neutral content───────────────────────────┘
///
/// Events in any order and number give at most one `.answer`, and one once any `.timeOver` came. Then follow
/// `.remember` or `.keep`, and `.finish`.
struct DeliveryMachine<Content: Sendable>: Sendable {
    enum Event: Sendable {
        /// Content, opened or not.
        case opened(Content, fetches: Bool)
        /// More of the same content, such as a thumbnail.
        case fetched(Content)
        /// Last fetch is done.
        case fetchEnded
        /// Attachments' slice is over.
        case sliceOver
        /// All time is over, by our deadline or iOS.
        case timeOver
        /// Content handler returned.
        case answered
        case remembered
    }

    enum Action: Sendable {
        case fetch(Content)
        case stopFetching
        case answer(Content)
        /// Recorded as shown.
        case remember(Content)
        /// Unopened: left to the app.
        case keep
        case finish(Content)
    }

    private enum Phase: Sendable {
        case opening
        case fetching(best: Content)
        /// Unopened, the message may be shown later.
        case answering(Content, isOpened: Bool)
        case remembering(Content)
        case done
    }

    private let neutral: Content
    private var phase = Phase.opening

    /// - Parameter neutral: shown if not opened in time.
    init(neutral: Content) {
        self.neutral = neutral
    }

    var isOpening: Bool { if case .opening = phase { true } else { false } }
    var isFetching: Bool { if case .fetching = phase { true } else { false } }

    mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.opening, .opened(let content, fetches: true)):
            phase = .fetching(best: content)
            return [.fetch(content)]
        case (.opening, .opened(let content, fetches: false)): return answer(content, isOpened: true)
        case (.opening, .timeOver): return answer(neutral, isOpened: false)
        case (.fetching, .fetched(let content)):
            phase = .fetching(best: content)
            return []
        case (.fetching(let best), .fetchEnded), (.fetching(let best), .sliceOver), (.fetching(let best), .timeOver):
            return [.stopFetching] + answer(best, isOpened: true)
        case (.answering(let content, isOpened: true), .answered):
            phase = .remembering(content)
            return [.remember(content)]
        case (.answering(let content, isOpened: false), .answered):
            phase = .done
            return [.keep, .finish(content)]
        case (.remembering(let content), .remembered):
            phase = .done
            return [.finish(content)]
        // Early, late or repeated.
        case (.opening, _), (.fetching, _), (.answering, _), (.remembering, _), (.done, _): return []
        }
    }

    private mutating func answer(_ content: Content, isOpened: Bool) -> [Action] {
        phase = .answering(content, isOpened: isOpened)
        return [.answer(content)]
    }
}
