import Envelope
import HTTP
import Networking
import PushStore

/// Key bundles for senders.
final class BundleHandler: Sendable {
    /// Devices of one read, so that notifications' reads wait for no more.
    private static let readCountMax = 100

    private final class Asking {
        var tenants: Set<TenantID> = []
    }

    /// Bundle as senders get it.
    private struct Current {
        let bundle: [UInt8]
        let language: String?

        var tag: EntityTag {
            // A language has no NUL.
            EntityTag(of: Array((language ?? "").utf8) + [0] + bundle)
        }

        func write(to writer: inout JSONWriter) {
            writer.member("bundle", Base64URL.string(bundle))
            if let language { writer.member("language", language) }
        }
    }

    private let context: ServiceContext
    private let asking: LoopBound<Asking>

    init(_ context: ServiceContext) {
        self.context = context
        asking = LoopBound(Asking(), to: context.loop)
    }

    /// `GET /v1/devices/{id}/bundle`.
    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let key = try DeviceHandler.key(call.id, try call.tenant())
        guard case let current?? = try await read([key]).first else { throw DeviceHandler.notFound }
        let tag = current.tag
        if let list = call.request.value(of: "if-none-match"), tag.isIn(list) { return .notModified(tag) }
        return .json(200, tag: tag.field) { writer in current.write(to: &writer) }
    }

    /// `POST /v1/bundles/query`, one at a time for a tenant: an answer may have 4 MB.
    ///
    /// The answer's weak tag is the same while its bundles are. The client compares it; only GET has a 304 (RFC 9110
    /// section 13.1.2).
    func query(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant().id
        guard asking.value.tenants.insert(tenant).inserted else {
            var problem = Problem(.tooManyRequests, "Ask for the bundles of some devices after those of others.")
            problem.retryAfterSeconds = 1
            throw problem
        }
        defer { asking.value.tenants.remove(tenant) }
        let items = try BundleQuery(call.json()).items
        var elements = JSONWriter(reserving: 64 * items.count)
        var state: [UInt8] = []
        // In steps, between which the loop runs.
        for start in stride(from: 0, to: items.count, by: Self.readCountMax) {
            let part = items[start..<min(start + Self.readCountMax, items.count)]
            let found = try await read(part.map { DeviceKey(tenant: tenant, device: $0.device) })
            for (item, current) in zip(part, found) {
                let tag = current?.tag
                state += item.device.bytes + [0] + Array((tag?.text ?? "").utf8) + [0]
                Self.write(item, current, tag, to: &elements)
            }
        }
        let tag = EntityTag(of: state)
        return .json(200, tag: "W/" + tag.field) { writer in
            writer.name("bundles")
            writer.raw([UInt8(ascii: "[")] + elements.bytes + [UInt8(ascii: "]")])
        }
    }

    private static func write(
        _ item: BundleQuery.Item,
        _ current: Current?,
        _ tag: EntityTag?,
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("device", item.device.text)
            guard let current, let tag else { return writer.member("state", "missing") }
            guard tag.text != item.tag else { return writer.member("state", "unchanged") }
            writer.member("state", "current")
            writer.member("etag", tag.text)
            current.write(to: &writer)
        }
    }

    /// Treats damaged rows as missing.
    private func read(_ keys: [DeviceKey]) async throws(Problem) -> [Current?] {
        let found = try await context.asking { [context] () throws(StoreError) in
            (try await context.store.devices(keys), try await context.store.bundles(of: keys))
        }
        return zip(found.0, found.1).map { lookup, bundle in
            guard case .found(let device) = lookup, let bundle else { return nil }
            return Current(bundle: bundle, language: device.language)
        }
    }
}
