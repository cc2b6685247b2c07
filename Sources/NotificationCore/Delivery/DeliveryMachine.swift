/// One push, from its arrival to the replay window. Events in, actions out; no clock, no thread, no lock.
///
///     opening ──opened──► fetching ──fetched, slice or time over──► answering ──► remembering ──► done
///        │                                                           ▲   │                         ▲
///        ├──opened, without attachments──────────────────────────────┤   └──nothing was opened─────┘ kept for the app
///        └──time over: the neutral content───────────────────────────┘
///
/// Whatever order the events come in, and however often: the actions of one machine hold at most one `.answer`, and one
/// once any `.timeOver` came; then a `.remember` if what was answered had been opened in time, else a `.keep`; then a
/// `.finish`.
struct DeliveryMachine<Content: Sendable>: Sendable {
    enum Event: Sendable {
        /// The push was opened, or could not be: this is what there is to show.
        case opened(Content, fetches: Bool)
        /// The same content with more: a thumbnail, the next picture.
        case fetched(Content)
        /// Nothing more will come.
        case fetchEnded
        /// The attachments' share of the time is over.
        case sliceOver
        /// All time is over: by our own deadline, or because iOS says so.
        case timeOver
        /// The content handler returned.
        case answered
        /// The replay window knows.
        case remembered
    }

    enum Action: Sendable {
        /// Get what the content lacks, for as long as its slice.
        case fetch(Content)
        /// Nobody waits for the fetching any more.
        case stopFetching
        /// Call the content handler.
        case answer(Content)
        /// iOS has it: it must not be shown again.
        case remember(Content)
        /// Nobody has opened the push: it is the app's.
        case keep
        /// Nothing is left to do for what was answered.
        case finish(Content)
    }

    private enum Phase: Sendable {
        case opening
        case fetching(best: Content)
        /// Not opened: nobody has seen the message, and whoever opens it later may show it.
        case answering(Content, isOpened: Bool)
        case remembering(Content)
        case done
    }

    private let neutral: Content
    private var phase = Phase.opening

    /// - Parameter neutral: what to show where there was no time to open the push.
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
        // What comes too early, too late or twice changes nothing.
        case (.opening, _), (.fetching, _), (.answering, _), (.remembering, _), (.done, _): return []
        }
    }

    private mutating func answer(_ content: Content, isOpened: Bool) -> [Action] {
        phase = .answering(content, isOpened: isOpened)
        return [.answer(content)]
    }
}
