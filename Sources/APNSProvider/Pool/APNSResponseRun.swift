import APNS
import Networking
import Platform

/// Bounded buffer between source and reader.
final class APNSResponseRun: Sendable {
    typealias Answer = (id: APNSID, result: Result<APNSResponse, ProviderError>)

    private struct State {
        var answers = RingBuffer<Answer>()
        /// In flight, or answered and unread.
        var openCount = 0
        var hasEnded = false
        var isAbandoned = false
        var failure: (any Error)?
        var sender: CheckedContinuation<Bool, Never>?
        var taker: CheckedContinuation<Void, Never>?
    }

    private let inFlightMax: Int
    private let state = Guarded(State())

    init(inFlightMax: Int) { self.inFlightMax = inFlightMax }

    // MARK: Source

    /// False: answers are no longer read.
    func waitForRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let decision: Bool? = state.withLock { state in
                if state.isAbandoned { return false }
                guard state.openCount < inFlightMax else {
                    state.sender = continuation
                    return nil
                }
                state.openCount += 1
                return true
            }
            if let decision { continuation.resume(returning: decision) }
        }
    }

    func didFinish(_ answer: Answer) {
        state.withLock { state in
            state.answers.append(answer)
            return state.taker.take()
        }?.resume()
    }

    func end(_ failure: (any Error)?) {
        state.withLock { state in
            state.hasEnded = true
            state.failure = failure
            return state.taker.take()
        }?.resume()
    }

    // MARK: Reader

    func next() async throws -> Answer? {
        while true {
            if let answer = takeAnswer() { return answer }
            if try isOver() { return nil }
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        let isOver = state.hasEnded && state.openCount == 0
                        if state.answers.isEmpty, !isOver, !Task.isCancelled {
                            state.taker = continuation
                            return false
                        }
                        return true
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.taker.take() }?.resume()
            }
        }
    }

    private func takeAnswer() -> Answer? {
        let (answer, sender) = state.withLock { state in
            guard let answer = state.answers.popFirst() else {
                return (Answer?.none, CheckedContinuation<Bool, Never>?.none)
            }
            // The waiting push gets the room.
            let sender = state.sender.take()
            if sender == nil { state.openCount -= 1 }
            return (answer, sender)
        }
        sender?.resume(returning: true)
        return answer
    }

    private func isOver() throws -> Bool {
        let (isOver, failure) = state.withLock { ($0.hasEnded && $0.openCount == 0, $0.failure) }
        guard isOver else { return false }
        if let failure { throw failure }
        return true
    }

    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            return state.sender.take()
        }?.resume(returning: false)
    }
}
