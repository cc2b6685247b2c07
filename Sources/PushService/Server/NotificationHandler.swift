import APNS
import Envelope
import Primitives
import PushStore
import Transport

/// `POST /v1/notifications`, `POST /v1/compat/sap`, `POST /v1/dead-letters/replay`: what brings work to the dispatcher.
struct NotificationHandler: Sendable {
    let context: ServiceContext
    let intake: Intake

    /// 202 means: it is on the disk.
    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        let submission = try await call.apart { () throws(Problem) in try Self.read(call, tenant) }
        let idempotency = try Self.idempotency(submission.idempotencyKey, submission.digest)
        let draft: NotificationDraft
        let lookups: [DeviceLookup]
        do throws(Problem) {
            let (count, lane) = (submission.recipients.count, submission.notificationClass.lane)
            try Admission.checkQueue(count, in: lane, of: tenant.storeID(), context)
            let found = try await devices(submission.recipients.map(\.device), tenant)
            lookups = found
            draft = try await call.apart { [context] () throws(Problem) in
                var random = SystemRandom()
                return try NotificationDraft(
                    submission,
                    lookups: found,
                    tenant: tenant,
                    settings: call.settings,
                    collapseKey: context.collapseKey,
                    now: context.clock.now(),
                    random: &random
                )
            }
        } catch {
            // A device may be gone by now that was there when the same request came first.
            guard error.kind.status < 500, let known = try await intake.known(idempotency, tenant) else { throw error }
            return Self.answer(known)
        }
        let accepted = try await intake.accept(
            draft,
            lookups,
            idempotency: idempotency,
            tenant: tenant,
            call
        )
        return Self.answer(accepted)
    }

    static func read(
        _ call: APICall,
        _ tenant: TenantConfiguration
    ) throws(Problem) -> NotificationSubmission {
        var random = SystemRandom()
        let (settings, tenantID) = (call.settings, tenant.id)
        return try NotificationSubmission(
            call.request,
            try call.json(),
            app: { settings.app($0.text, of: tenantID)?.webPushRoom },
            recipientCountMax: min(settings.limits.recipientCountMax, OutboxRequest.entryCounts.upperBound),
            random: &random
        )
    }

    static func idempotency(_ key: String?, _ digest: @autoclosure () -> [UInt8]) throws(Problem) -> Idempotency? {
        guard let key else { return nil }
        do throws(StoreError) {
            return try Idempotency(key: Array(key.utf8), digest: digest())
        } catch {
            throw Problem(error)
        }
    }

    private func devices(_ ids: [String], _ tenant: TenantConfiguration) async throws(Problem) -> [DeviceLookup] {
        var keys: [DeviceKey] = []
        keys.reserveCapacity(ids.count)
        for id in ids { keys.append(try DeviceHandler.key(id, tenant)) }
        let lookups = try await context.asking { [keys] () throws(StoreError) in try await context.store.devices(keys) }
        guard lookups.count == keys.count else { throw Problem(.internalError, "The store's answer is too short.") }
        return lookups
    }

    static func answer(_ accepted: [Intake.Accepted], warnings: [SAPNotification.Warning] = []) -> HTTPAnswer {
        .json(202) { writer in
            writer.name("notifications")
            writer.array { writer in
                for notification in accepted { notification.write(to: &writer) }
            }
            guard !warnings.isEmpty else { return }
            writer.name("warnings")
            writer.array { writer in
                for warning in warnings { writer.string(warning.rawValue) }
            }
        }
    }

    /// In clear, for teams that move: only where the tenant's setting says so.
    func postSAP(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        let now = context.clock.now()
        let seconds = Int64(clamping: now.milliseconds / 1_000)
        let notification: SAPNotification
        do throws(Problem) {
            notification = try await readSAP(call, tenant, now: seconds)
        } catch {
            // A date may have passed by now that had not when the same request came first. What is wrong without one too
            // is answered by the first error.
            guard error.kind == .invalidFields, let past = try? await readSAP(call, tenant, now: .min),
                let known = try await intake.known(Self.idempotency(past.idempotencyKey, past.digest), tenant)
            else { throw error }
            return Self.answer(known, warnings: past.warnings)
        }
        let idempotency = try Self.idempotency(notification.idempotencyKey, notification.digest)
        let draft: NotificationDraft
        let lookups: [DeviceLookup]
        do throws(Problem) {
            let (count, lane) = (notification.devices.count, notification.firstLane)
            try Admission.checkQueue(count, in: lane, of: tenant.storeID(), context)
            lookups = try await devices(notification.devices, tenant)
            var random = SystemRandom()
            draft = try NotificationDraft(
                notification,
                lookups: lookups,
                tenant: tenant,
                settings: call.settings,
                collapseKey: context.collapseKey,
                now: now,
                random: &random
            )
        } catch {
            // As `post`.
            guard error.kind.status < 500, let known = try await intake.known(idempotency, tenant) else { throw error }
            return Self.answer(known, warnings: notification.warnings)
        }
        let accepted = try await intake.accept(
            draft,
            lookups,
            idempotency: idempotency,
            tenant: tenant,
            call
        )
        return Self.answer(accepted, warnings: notification.warnings)
    }

    private func readSAP(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        now: Int64
    ) async throws(Problem) -> SAPNotification {
        try await call.apart { () throws(Problem) in
            // Before the body is looked at: who may not do this learns nothing else.
            try SAPNotification(
                call.request,
                tenant.allowsClearText ? call.json(allowsFractions: true) : .object([]),
                allowsClearText: tenant.allowsClearText,
                isApp: { call.settings.app($0.text, of: tenant.id) != nil },
                now: now
            )
        }
    }
}
