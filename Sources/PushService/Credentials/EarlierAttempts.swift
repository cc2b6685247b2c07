import APNS
import APNSProvider
import Envelope
import Networking
import PushStore

/// Attempts that clients resent at once: refused by APNs for its own reasons (shutdown, expired token) or not
/// processed. Lives on the loop.
final class EarlierAttempts {
    struct Ended: Equatable {
        let cause: ResendCause
        let time: Timestamp
    }

    private var ended: [APNSID: [Ended]] = [:]

    func note(_ id: APNSID, _ cause: ResendCause, at time: Timestamp) {
        ended[id, default: []].append(Ended(cause: cause, time: time))
    }

    /// Takes an ended push's attempts, oldest first.
    func take(_ id: APNSID) -> [Ended] { ended.isEmpty ? [] : ended.removeValue(forKey: id) ?? [] }

    /// Outbox's attempts; each begins when the one before ended.
    static func attempts(_ ended: [Ended], from start: Timestamp) -> [PushStore.Attempt] {
        zip(ended, [start] + ended.map(\.time)).map { one, start in
            switch one.cause {
            case .refusal(let reason):
                Attempt(time: start, connection: .answered, status: reason.status, reason: reason.rawValue)
            case .failure(.goAway): Attempt(time: start, connection: .notProcessed, reason: "GOAWAY")
            case .failure(.refusedStream): Attempt(time: start, connection: .notProcessed, reason: "REFUSED_STREAM")
            case .failure: Attempt(time: start, connection: .notProcessed, reason: "NotProcessed")
            }
        }
    }
}
