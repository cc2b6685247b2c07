import Envelope
import HTTPSClient
import PushStore
import ServiceParts

extension SidecarCore {
    /// Posts a message's waiting copies, and records the results.
    func post(_ number: Int64) async -> PostingQueue.Outcome {
        do throws(StoreError) {
            guard let message = try store.message(number: number) else { return .settled }
            let copies = try store.waitingCopies(of: number)
            guard !copies.isEmpty else { return .settled }
            guard clock.wall() < message.expiresAt else {
                return try settle(number, rejected: copies.map { ($0, .expired) })
            }
            // A request has one copy for a device, though a re-send may wait beside another.
            let batch = Self.firstOfEachDevice(copies)
            let body = PostBody(
                messageID: message.id,
                topic: configuration.topic.text,
                messageClass: message.messageClass,
                expirySeconds: message.expirySeconds,
                collapseID: message.collapseID,
                copies: batch
            )
            let result = await answer(to: body)
            let outcome = try record(result, number, batch)
            guard case .settled = outcome, batch.count < copies.count else { return outcome }
            return .again
        } catch {
            log.event("store-failed", .error, at: clock.now(), [("error", "\(error)")])
            return .failed(retryAfterSeconds: nil)
        }
    }

    private static func firstOfEachDevice(_ copies: [PostBody.Copy]) -> [PostBody.Copy] {
        var seen: Set<[UInt8]> = []
        return copies.filter { seen.insert($0.device).inserted }
    }

    private func answer(to body: PostBody) async -> PostResult? {
        do throws(HTTPSError) {
            let answer = try await relay.post(body.json, idempotencyKey: body.idempotencyKey)
            return PostResult(answer, devices: body.devices)
        } catch {
            return nil
        }
    }

    /// - Parameter result: nil if no answer came.
    private func record(
        _ result: PostResult?,
        _ number: Int64,
        _ copies: [PostBody.Copy]
    ) throws(StoreError) -> PostingQueue.Outcome {
        switch result {
        case .accepted(let ids, let rejected, let postponed)?:
            metrics.posts[.accepted, default: 0] += 1
            let stored = copies.enumerated().filter { rejected[$0.offset] == nil && !postponed.contains($0.offset) }
            _ = try settle(
                number,
                accepted: stored.map { ($0.element, ids[$0.offset]) },
                rejected: copies.enumerated().compactMap { place, copy in rejected[place].map { (copy, $0) } }
            )
            return postponed.isEmpty ? .settled : .failed(retryAfterSeconds: nil)
        case .rejected(let places)?:
            metrics.posts[.rejected, default: 0] += 1
            let rejected = copies.enumerated().compactMap { place, copy in places[place].map { (copy, $0) } }
            _ = try settle(number, rejected: rejected)
            return .again
        case .refused(let rejection)?:
            metrics.posts[.refused, default: 0] += 1
            return try settle(number, rejected: copies.map { ($0, rejection) })
        case .later(let seconds)?:
            metrics.posts[.later, default: 0] += 1
            return .failed(retryAfterSeconds: seconds)
        case .failed(let seconds)?:
            metrics.posts[.later, default: 0] += 1
            return .failedAlone(retryAfterSeconds: seconds)
        case nil:
            metrics.posts[.unreachable, default: 0] += 1
            return .failed(retryAfterSeconds: nil)
        }
    }

    private func settle(
        _ number: Int64,
        accepted: [(copy: PostBody.Copy, relayID: String?)] = [],
        rejected: [(copy: PostBody.Copy, rejection: Rejection)]
    ) throws(StoreError) -> PostingQueue.Outcome {
        try store.settle(number, accepted: accepted, rejected: rejected)
        metrics.accepted += UInt64(accepted.count)
        for (_, rejection) in rejected { metrics.rejected[rejection.word, default: 0] += 1 }
        return .settled
    }
}
