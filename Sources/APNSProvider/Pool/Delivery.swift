import APNS
import Networking
import Platform

/// Push until its answer. An object, because it is large. Lives on the loop.
final class Delivery {
    private static let answerNanosecondsMin: Int64 = 1_000_000_000

    let id: UInt64
    let notification: PushNotification
    let receiver: DeliveryReceiver
    let enqueuedAt: MonotonicTime
    let deadline: MonotonicTime
    var attemptCount = 0
    var isMaybeDuplicate = false
    /// True if no attempt was begun, or the last one was certainly not processed.
    var isUnsent = true
    /// `iat` of the last attempt's token.
    var tokenIssuedAt: Int64?
    var hasRetriedRefusal = false

    init(
        id: UInt64,
        notification: PushNotification,
        receiver: DeliveryReceiver,
        enqueuedAt: MonotonicTime,
        deadline: MonotonicTime
    ) {
        self.id = id
        self.notification = notification
        self.receiver = receiver
        self.enqueuedAt = enqueuedAt
        self.deadline = deadline
    }

    /// True if less than a second is left, or a quarter of a shorter deadline: probably ambiguous.
    func isTooLate(at now: MonotonicTime) -> Bool {
        let whole = deadline.nanoseconds - enqueuedAt.nanoseconds
        return deadline.nanoseconds - now.nanoseconds < min(Self.answerNanosecondsMin, whole / 4)
    }

    var trace: String? { notification.trace }

    /// A push borrowed from its object need not be copied.
    func write(with encoder: inout RequestEncoder, _ token: ProviderToken?) {
        encoder.encode(notification, token)
    }
}

typealias DeliveryContinuation = UnsafeContinuation<Result<APNSResponse, ProviderError>, Never>

/// Called once, by the code that takes the delivery out of the table.
@safe enum DeliveryReceiver {
    case one(DeliveryContinuation)
    case batch(DeliveryBatch, Int)
    case run(APNSResponseRun, APNSID)
    case closure((Result<APNSResponse, ProviderError>) -> Void)

    consuming func finish(_ result: Result<APNSResponse, ProviderError>) {
        switch self {
        case .one(let continuation): unsafe continuation.resume(returning: result)
        case .batch(let batch, let index): batch.didFinish(index, result)
        case .run(let run, let id): run.didFinish((id, result))
        case .closure(let completion): completion(result)
        }
    }
}
