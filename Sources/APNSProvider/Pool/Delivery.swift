import APNS
import Transport

/// One push on its way to its answer. Lives on the loop; an object, because it is handed on several times and is large.
final class Delivery {
    private static let answerNanosecondsMin: Int64 = 1_000_000_000

    /// Of the caller's call: what a cancellation names.
    let id: UInt64
    let notification: PushNotification
    let receiver: DeliveryReceiver
    let enqueuedAt: MonotonicTime
    let deadline: MonotonicTime
    var attemptCount = 0
    var isMaybeDuplicate = false
    /// Nothing was begun, or what was begun was certainly not processed.
    var isUnsent = true
    /// `iat` of the token that the last attempt carried.
    var tokenIssuedAt: Int64?
    /// A refusal that is repeated once only has been.
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

    /// Whether too little of its time is left for an attempt: a second, or a quarter of the whole where that is less. A
    /// shorter wait would only make the outcome unclear.
    func isTooLate(at now: MonotonicTime) -> Bool {
        let whole = deadline.nanoseconds - enqueuedAt.nanoseconds
        return deadline.nanoseconds - now.nanoseconds < min(Self.answerNanosecondsMin, whole / 4)
    }

    var trace: String? { notification.trace }

    /// Here and not with the encoder's owner: a push that is lent out of its object need not be copied.
    func write(with encoder: inout RequestEncoder, _ token: ProviderToken?, into headers: inout HeaderBlock) {
        encoder.encode(notification, token, into: &headers)
    }
}

typealias DeliveryContinuation = UnsafeContinuation<Result<APNSResponse, ProviderError>, Never>

/// Who waits for an answer. Whoever takes a delivery out of the table finishes it: that is why once.
@safe enum DeliveryReceiver {
    case one(DeliveryContinuation)
    /// One of many; the number is its own.
    case batch(DeliveryBatch, Int)
    case run(APNSResponseRun, APNSID)
    /// Somebody on the loop.
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
