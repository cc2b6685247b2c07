import Envelope
import PushStore
import Transport

/// One `POST /v1/notifications` on its way to its answer. Lives on the loop.
final class SubmissionRun {
    let call: APICall
    let tenant: TenantConfiguration
    let storeID: TenantID
    let submission: NotificationSubmission
    let idempotency: Idempotency?
    /// Of its devices, in the order of its recipients.
    let keys: [DeviceKey]
    private let respond: (HTTPAnswer) -> Void
    /// Of `keys`, once they were looked up.
    var lookups: [DeviceLookup] = []
    /// Once its devices are known.
    var draft: NotificationDraft?

    /// Reads the body.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - respond: called once.
    /// - Throws: what is wrong with the request.
    init(_ call: APICall, respond: @escaping (HTTPAnswer) -> Void) throws(Problem) {
        self.call = call
        self.respond = respond
        tenant = try call.tenant()
        storeID = try tenant.storeID()
        submission = try NotificationHandler.read(call, tenant)
        idempotency = try NotificationHandler.idempotency(submission.idempotencyKey, submission.digest)
        var keys: [DeviceKey] = []
        keys.reserveCapacity(submission.recipients.count)
        for recipient in submission.recipients {
            do throws(StoreError) {
                keys.append(DeviceKey(tenant: storeID, device: try DeviceID(recipient.device)))
            } catch {
                throw Problem(error)
            }
        }
        self.keys = keys
    }

    func end(_ answer: HTTPAnswer) { respond(answer) }
}

/// What became of a request that was to be stored.
enum StoringResult: Sendable {
    case sending([Lease])
    case queued
    /// It was there before, or its key belongs to another request.
    case other(EnqueueResult)

    init(_ result: SendingResult) {
        switch result {
        case .sending(let leases): self = .sending(leases)
        case .duplicate(let ids): self = .other(.duplicate(ids))
        case .conflict: self = .other(.conflict)
        }
    }

    init(_ result: EnqueueResult) {
        if case .stored = result { self = .queued } else { self = .other(result) }
    }
}
