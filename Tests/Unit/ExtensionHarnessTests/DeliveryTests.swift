import Testing

@testable import ExtensionHarness

struct DeliveryTests {
    private static let answer = ShownContent(content(title: "answer"))
    private static let second = ShownContent(content(title: "second"))

    @Test func `an answer is shown when didReceive has returned`() {
        var delivery = Delivery()
        #expect(delivery.handle(.answered(Self.answer)) == .none)
        #expect(delivery.handle(.callReturned) == .finish(outcome(Self.answer)))
    }

    @Test func `an answer after didReceive has returned is shown at once`() {
        var delivery = Delivery()
        #expect(delivery.handle(.callReturned) == .none)
        #expect(delivery.handle(.answered(Self.answer)) == .finish(outcome(Self.answer)))
    }

    @Test func `of two answers the first is shown, and both are counted`() {
        var delivery = Delivery()
        _ = delivery.handle(.answered(Self.answer))
        _ = delivery.handle(.answered(Self.second))
        #expect(
            delivery.handle(.callReturned)
                == .finish(outcome(Self.answer, handlerCallCount: 2, .terminatedForSecondAnswer))
        )
    }

    @Test func `without an answer the expiry is called, and its answer shown`() {
        var delivery = Delivery()
        _ = delivery.handle(.callReturned)
        #expect(delivery.handle(.timeLimitReached) == .callExpiry)
        _ = delivery.handle(.answered(Self.answer))
        #expect(delivery.handle(.callReturned) == .finish(outcome(Self.answer, isAnsweredAfterExpiry: true)))
    }

    @Test func `after an answer the expiry is not called, even while didReceive runs on`() {
        var delivery = Delivery()
        _ = delivery.handle(.answered(Self.answer))
        #expect(delivery.handle(.timeLimitReached) == .none)
        #expect(delivery.handle(.graceOver) == .finish(outcome(Self.answer)))
    }

    @Test func `without any answer it has timed out when the grace is over`() {
        var delivery = Delivery()
        _ = delivery.handle(.timeLimitReached)
        #expect(delivery.handle(.graceOver) == .finish(outcome(nil, handlerCallCount: 0, .timedOut)))
    }

    @Test func `an answer when all is over is a late call`() {
        var delivery = Delivery()
        _ = delivery.handle(.timeLimitReached)
        _ = delivery.handle(.graceOver)
        #expect(delivery.handle(.answered(Self.answer)) == .reportLateCall)
    }

    @Test func `in whatever order things happen, it ends exactly once and never expires afterwards`() {
        var sequenceCount = 0
        visitSequences(of: Delivery()) { actions in
            sequenceCount += 1
            let finishes = actions.indices.filter { if case .finish = actions[$0] { true } else { false } }
            #expect(finishes.count == 1)
            #expect(actions.filter { $0 == .callExpiry }.count <= 1)
            if let end = finishes.first, let expiry = actions.firstIndex(of: .callExpiry) { #expect(expiry < end) }
        }
        #expect(sequenceCount > 100)
    }

    /// Visits every order of: up to three answers, the returns of the calls made, the time limit, and later the end of
    /// the grace.
    private func visitSequences(of delivery: Delivery, _ visit: ([Delivery.Action]) -> Void) {
        struct Rest {
            var delivery: Delivery
            var answerCount = 3
            var runningCallCount = 1
            var isExpired = false
            var isOver = false
            var actions: [Delivery.Action] = []

            mutating func handle(_ event: Delivery.Event) {
                let action = delivery.handle(event)
                if action == .callExpiry { runningCallCount += 1 }
                actions.append(action)
            }
        }
        func go(_ rest: Rest) {
            if rest.isOver && rest.runningCallCount == 0 { visit(rest.actions) }
            if rest.answerCount > 0 {
                var next = rest
                next.answerCount -= 1
                next.handle(.answered(Self.answer))
                go(next)
            }
            if rest.runningCallCount > 0 {
                var next = rest
                next.runningCallCount -= 1
                next.handle(.callReturned)
                go(next)
            }
            if !rest.isOver {
                var next = rest
                next.isOver = rest.isExpired
                next.isExpired = true
                next.handle(rest.isExpired ? .graceOver : .timeLimitReached)
                go(next)
            }
        }
        go(Rest(delivery: delivery))
    }

    private func outcome(
        _ answer: ShownContent?,
        isAnsweredAfterExpiry: Bool = false,
        handlerCallCount: Int = 1,
        _ ending: Ending = .returned
    ) -> ExtensionOutcome {
        ExtensionOutcome(
            answer: answer,
            isAnsweredAfterExpiry: isAnsweredAfterExpiry,
            handlerCallCount: handlerCallCount,
            ending: ending
        )
    }
}
