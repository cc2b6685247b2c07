import APNS
import Envelope
import HTTP
import PushStore

/// One submission, from its body to its answer. On the loop.
final class Submission {
    let call: APICall
    let tenant: TenantConfiguration
    let body: SubmissionBody
    let idempotency: Idempotency?
    let keys: [DeviceKey]
    let traceContext: TraceContext?
    private static let messagePath = Array((Route.webPushPath + "m/").utf8)
    private let respond: (HTTPAnswer) -> Void

    var lookups: [DeviceLookup] = []
    var offer: SendOffer?
    /// Room at the dispatcher; nil: to be queued.
    var reservation: SendReservation?
    var result: SendingResult?
    /// Of the entries in the request; nil for all.
    var places: [Int]?
    /// JSON of the recipients left out; empty for none.
    var rejected: [UInt8] = []

    /// - Parameter respond: called once, on the loop.
    init(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        _ body: SubmissionBody,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) throws(Problem) {
        self.call = call
        self.tenant = tenant
        self.body = body
        self.respond = respond
        idempotency = try body.idempotency()
        keys = body.devices.map { DeviceKey(tenant: tenant.id, device: $0) }
        traceContext = call.traceContext
    }

    var entries: [NewEntry] { offer?.entries ?? [] }

    func end(_ answer: HTTPAnswer) { respond(answer) }

    /// Answers 202: every notification is on disk.
    ///
    /// - Parameter notifications: in the order of the request.
    func accept(_ notifications: [AcceptedNotification], rejected: [UInt8]) {
        if case .endpoint(let submission, let origin) = body, let id = notifications.first?.id {
            var location = Array(origin.utf8) + Self.messagePath
            id.appendText(to: &location)
            return respond(.created(at: location, ttl: submission.expirySeconds))
        }
        let (warnings, isPartial) = (body.warnings, body.isPartial)
        respond(
            .json(202) { writer in
                writer.name("notifications")
                writer.array { writer in
                    for notification in notifications { notification.write(to: &writer) }
                }
                if isPartial {
                    writer.name("rejected")
                    writer.raw(rejected.isEmpty ? Array("[]".utf8) : rejected)
                }
                guard !warnings.isEmpty else { return }
                writer.name("warnings")
                writer.array { writer in
                    for warning in warnings { writer.string(warning.rawValue) }
                }
            }
        )
    }
}

extension Problem {
    /// Form for a request that is stored in part.
    func naming(stored: [AcceptedNotification], hasKey: Bool) -> Problem {
        let remedy =
            hasKey
            ? "Send the same request with the same idempotency key again: it stores the others, and nothing twice."
            : "Send to the others in a new request, with an idempotency key."
        var writer = JSONWriter()
        writer.array { writer in
            for notification in stored { notification.write(to: &writer) }
        }
        var problem = self
        problem.detail = "Only the notifications listed here were certainly stored. \(remedy)"
        problem.stored = writer.bytes
        return problem
    }
}

struct AcceptedNotification: Sendable {
    let device: DeviceID
    let id: APNSID
    let trace: Trace?

    init(_ entry: NewEntry) { (device, id, trace) = (entry.device, entry.apnsID, entry.trace) }

    init(_ entry: OutboxEntry) { (device, id, trace) = (entry.device, entry.apnsID, entry.trace) }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("device", writing: { $0 += device.bytes })
            writer.member("id", writing: { id.appendText(to: &$0) })
            if let trace { writer.member("trace") { trace.appendText(to: &$0) } }
        }
    }
}
