import Testing

@testable import NotificationCore

/// Abuse case 104, for the machine alone: every order of events for one push.
struct DeliveryMachineTests {
    private typealias Machine = DeliveryMachine<String>

    private static let events: [Machine.Event] = [
        .opened("text", fetches: false), .opened("text", fetches: true), .fetched("thumbnail"), .fetchEnded,
        .sliceOver, .timeOver, .answered, .remembered,
    ]
    private static let length = 6

    @Test func `in each of 262,144 orders of events the handler is called at most once, with the best there is`() {
        var order = [Int](repeating: 0, count: Self.length)
        var count = 0
        repeat {
            count += 1
            if let fault = Self.fault(of: order.map { Self.events[$0] }) {
                Issue.record("\(fault): \(order.map { Self.events[$0] })")
                return
            }
        } while Self.advance(&order)
        #expect(count == 262_144)
    }

    @Test func `a text without attachments is answered at once`() {
        var machine = Machine(neutral: "neutral")
        #expect(machine.handle(.opened("text", fetches: false)).map(Step.init) == [.answer("text")])
        #expect(machine.handle(.answered).map(Step.init) == [.remember("text")])
        #expect(machine.handle(.remembered).map(Step.init) == [.finish("text")])
    }

    @Test func `what was not opened in time is answered with neutral words and not remembered`() {
        var machine = Machine(neutral: "neutral")
        #expect(machine.handle(.timeOver).map(Step.init) == [.answer("neutral")])
        #expect(machine.handle(.opened("text", fetches: true)).isEmpty)
        #expect(machine.handle(.answered).map(Step.init) == [.keep, .finish("neutral")])
    }

    @Test func `attachments that came in time are shown, those that come later are not`() {
        var machine = Machine(neutral: "neutral")
        #expect(machine.handle(.opened("text", fetches: true)).map(Step.init) == [.fetch("text")])
        #expect(machine.handle(.fetched("thumbnail")).isEmpty)
        #expect(machine.handle(.sliceOver).map(Step.init) == [.stopFetching, .answer("thumbnail")])
        #expect(machine.handle(.fetched("picture")).isEmpty)
        #expect(machine.handle(.answered).map(Step.init) == [.remember("thumbnail")])
    }

    private static func advance(_ order: inout [Int]) -> Bool {
        for index in order.indices {
            order[index] += 1
            guard order[index] == events.count else { return true }
            order[index] = 0
        }
        return false
    }

    /// Runs the events, with accounts beside the machine.
    private static func fault(of events: [Machine.Event]) -> String? {
        var machine = Machine(neutral: "neutral")
        var best: String?
        var isFetching = false
        var answer: String?
        var steps: [Step] = []
        for event in events {
            var expected: String?
            if answer == nil {
                switch event {
                case .opened(let text, let fetches) where best == nil:
                    best = text
                    isFetching = fetches
                    if !fetches { expected = text }
                case .fetched(let more) where isFetching: best = more
                case .fetchEnded where isFetching, .sliceOver where isFetching: expected = best
                case .timeOver: expected = best ?? "neutral"
                default: break
                }
            }
            let new = machine.handle(event).map(Step.init)
            let answers = new.compactMap { if case .answer(let text) = $0 { text } else { nil } }
            if answers != [expected].compactMap(\.self) { return "answered \(answers), not \(expected ?? "at all")" }
            answer = answer ?? expected
            steps += new
        }
        return orderFault(of: steps, wasOpened: answer != "neutral")
    }

    /// Checks the order: an answer, its remembering, an end; each once.
    private static func orderFault(of steps: [Step], wasOpened: Bool) -> String? {
        let ends = steps.filter { step in
            switch step {
            case .answer, .remember, .keep, .finish: true
            case .fetch, .stopFetching: false
            }
        }
        guard case .answer(let text) = ends.first else { return ends.isEmpty ? nil : "begins with \(ends[0])" }
        let all: [Step] = [.answer(text), wasOpened ? .remember(text) : .keep, .finish(text)]
        return all.starts(with: ends) ? nil : "ends with \(ends)"
    }

    private enum Step: Equatable {
        case fetch(String), stopFetching, answer(String), remember(String), keep, finish(String)

        init(_ action: Machine.Action) {
            switch action {
            case .fetch(let text): self = .fetch(text)
            case .stopFetching: self = .stopFetching
            case .answer(let text): self = .answer(text)
            case .remember(let text): self = .remember(text)
            case .keep: self = .keep
            case .finish(let text): self = .finish(text)
            }
        }
    }
}
