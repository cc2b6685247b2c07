import APNS
import APNSProvider
import Envelope
import Networking
import PushStore
import ServiceParts

/// Feedback service from before 2021, where one still runs (docs/provider.md).
extension Dispatcher {
    func readFeedback() {
        for tenant in context.settings.configuration.tenants {
            for app in tenant.apps {
                guard let service = app.feedback else { continue }
                let place = CredentialPlan.Place(
                    tenant: tenant.id,
                    bundleID: app.bundleID,
                    environment: app.environment
                )
                // Not `call`: a silent service must not delay a drain.
                Task(executorPreference: context.loop) { [self] in
                    await readFeedback(LegacyService(host: service.host, port: service.port), for: place)
                }
            }
        }
    }

    private func readFeedback(_ service: LegacyService, for place: CredentialPlan.Place) async {
        let entry = lanes.entry(tenant: place.tenant, bundleID: place.bundleID, environment: place.environment)
        guard let entry, case .certificate(let certificate) = entry.credential,
            let tls = try? TLSContext.client(trust: entry.trust, alpn: [], identity: certificate.identity)
        else { return }
        let list = await LegacyFeedback(service: service, context: tls, loop: context.loop).read()
        var deletedCount = 0
        var failureCount = 0
        for tuple in list.tuples {
            do throws(StoreError) {
                deletedCount += try await unregister(tuple, place.environment, place.tenant)
            } catch {
                // The service forgets it; the next push gets 410.
                failureCount += 1
            }
        }
        let counts: [ServiceLog.Member] = [
            ("topic", place.bundleID.text), ("tokens", list.tuples.count), ("deleted", deletedCount),
            ("failed", failureCount), ("complete", list.failure == nil ? "yes" : "no"),
        ]
        context.log.event("feedback", at: context.clock.now(), counts)
    }

    /// - Returns: number of deleted devices.
    private func unregister(
        _ tuple: FeedbackTuple,
        _ environment: APNSEnvironment,
        _ tenant: TenantID
    ) async throws(StoreError) -> Int {
        let keys = try await context.store.devices(token: tuple.deviceToken, environment: environment, tenant: tenant)
        guard !keys.isEmpty else { return 0 }
        let timestamp = Timestamp(milliseconds: UInt64(tuple.time) * 1_000)
        let gone = keys.map { Unregistration(key: $0, token: tuple.deviceToken, timestamp: timestamp) }
        return try await context.store.unregister(gone).count { $0 == .deleted }
    }
}
