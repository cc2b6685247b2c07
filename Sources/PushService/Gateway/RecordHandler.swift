import Envelope
import HTTP
import PushStore
import ServiceParts

/// `GET /v1/records/{id}`: a record too long for a push, for the device that the push told of it.
struct RecordHandler: Sendable {
    let context: ServiceContext

    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let notFound = Problem(.notFound, "There is no such record: it has expired, or its endpoint is gone.")
        guard let name = Base64URL.decode(Array(call.id.utf8)), name.count == KeptRecord.nameByteCount else {
            throw notFound
        }
        let now = context.clock.now()
        let bytes = try await context.asking { () throws(StoreError) in try await context.store.record(name, now: now) }
        guard let bytes else { throw notFound }
        return .record(bytes)
    }
}
