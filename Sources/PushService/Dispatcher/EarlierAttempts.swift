import APNS
import APNSProvider
import Envelope
import PushStore
import Transport

/// What clients tell of attempts that are not their push's last: APNs refused them for its own reasons (it goes down, the token
/// was too old) or did not process them, and the client sent the push again at once. Lives on the loop.
final class EarlierAttempts {
    struct Ended: Equatable {
        let cause: ResendCause
        let time: Timestamp
    }

    private var ended: [APNSID: [Ended]] = [:]

    func note(_ id: APNSID, _ cause: ResendCause, at time: Timestamp) {
        ended[id, default: []].append(Ended(cause: cause, time: time))
    }

    /// - Parameter id: of a push that has ended at its client.
    /// - Returns: what is known of it, in its order; it is forgotten here.
    func take(_ id: APNSID) -> [Ended] { ended.isEmpty ? [] : ended.removeValue(forKey: id) ?? [] }

    /// Each attempt began when the one before had ended.
    ///
    /// - Parameters:
    ///   - ended: of one push.
    ///   - start: when its first attempt began.
    /// - Returns: as the outbox keeps them.
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
