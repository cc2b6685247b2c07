import Envelope
import Networking
import Platform
import Primitives
package import PushStore
package import ServiceParts

/// Push service. Parts start in order, work before intake, and drain in reverse: intake ends, notifications go out,
/// tenants are notified, the store closes.
package final class Service: Sendable {
    package let context: ServiceContext
    private let store: any RelayStore
    private let parts: [any ServicePart]
    private let current: Guarded<LoadedConfiguration>

    /// Opens the store and starts all parts. Blocks on the disk: not for an event loop.
    ///
    /// - Parameter whileOpening: called repeatedly on its own thread while the database takes long to open.
    /// - Throws: the reason, after ending what had started.
    package static func start(
        _ loaded: LoadedConfiguration,
        clock: ServiceClock,
        log: ServiceLog,
        makeParts: ServicePartsFactory = standardParts,
        opening: StoreOpening = fileOpening,
        whileOpening: @escaping @Sendable () -> Void = {}
    ) async throws(ServiceError) -> Service {
        try LibraryFloor.check()
        let opened = try await opening(loaded, clock, log, whileOpening)
        let store = opened.store
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop()
        } catch {
            await store.close()
            throw .system(error)
        }
        let collapse = CollapseKey(TokenKeyFile.derive(loaded.files.tokenKey, "SealedPush/1 collapse ids"))
        let context = ServiceContext(
            loop: loop,
            store: store,
            clock: clock,
            log: log,
            collapseKey: collapse,
            challengeKey: ChallengeKey(TokenKeyFile.derive(loaded.files.tokenKey, "SealedPush/1 enrolment challenges")),
            settings: ServiceSettings(loaded.configuration, attestRoots: loaded.files.attestRoots),
            shards: ShardTenure(opened.leases)
        )
        noteCertificates(loaded, context)
        auditClearText(context)
        context.metrics.withLock { $0.didEndFallback(.uncertain, count: opened.uncertainFallbackCount) }
        var started: [any ServicePart] = []
        do throws(ServiceError) {
            let base = ServiceFoundation(context: context, store: store, terms: opened.terms, loaded: loaded)
            let parts = try makeParts(base)
            for part in parts {
                try await part.start()
                started.append(part)
            }
            return Service(context, store, parts, loaded)
        } catch {
            for part in started.reversed() { await part.drain(until: .now()) }
            await store.close()
            loop.stopLater()
            throw error
        }
    }

    private init(
        _ context: ServiceContext,
        _ store: any RelayStore,
        _ parts: [any ServicePart],
        _ loaded: LoadedConfiguration
    ) {
        self.context = context
        self.store = store
        self.parts = parts
        current = Guarded(loaded)
    }

    private static func noteCertificates(_ loaded: LoadedConfiguration, _ context: ServiceContext) {
        context.metrics.withLock { $0.certificatesEnd = loaded.files.certificatesEnd }
        let apps = loaded.files.lanes.certificateEnds.map { place, end in
            (CertificateEnds.App(tenant: place.tenant, bundleID: place.bundleID, environment: place.environment), end)
        }
        let ends = CertificateEnds(
            server: loaded.files.tls.certificate.notAfter,
            apps: Dictionary(uniqueKeysWithValues: apps)
        )
        context.certificates.withLock { $0 = ends }
    }

    private static func auditClearText(_ context: ServiceContext) {
        for tenant in context.settings.configuration.tenants where tenant.allowsClearText {
            context.log.event(
                "audit",
                at: context.clock.now(),
                [("act", "allows-clear-text"), ("tenant", tenant.id.text)]
            )
        }
    }

    /// Adopts another configuration. Not during a reload or `stop()`.
    ///
    /// - Throws: the reason to keep the earlier one.
    package func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        let earlier = current.withLock { $0 }
        let faults = next.lastingFaults(beside: earlier)
        guard faults.isEmpty else { throw .configuration(ConfigurationErrors(faults: faults)) }
        context.replaceSettings(ServiceSettings(next.configuration, attestRoots: next.files.attestRoots))
        var reloaded: [any ServicePart] = []
        do throws(ServiceError) {
            // Likeliest to fail.
            for part in parts.reversed() {
                try await part.reload(next)
                reloaded.append(part)
            }
        } catch {
            context.replaceSettings(ServiceSettings(earlier.configuration, attestRoots: earlier.files.attestRoots))
            // It worked a moment ago; a part logs its own failure.
            for part in reloaded { try? await part.reload(earlier) }
            throw error
        }
        current.withLock { $0 = next }
        // Metrics dropped here do not come back.
        let tenants = Set(next.configuration.tenants.map(\.id))
        context.metrics.withLock { metrics in
            metrics.adopt(apps: context.settings.bundleIDs)
            metrics.keep(tenants: tenants)
        }
        Self.noteCertificates(next, context)
        Self.auditClearText(context)
    }

    /// Awaits the loop and the store's threads.
    package func isAnswering() async -> Bool {
        let loopAnswers = await context.loop.run { true }
        let storeAnswers = await store.isAnswering()
        return loopAnswers && storeAnswers
    }

    /// Copies SQLite's file. Another engine has tools of its own.
    ///
    /// - Parameter path: of no existing file.
    package func backup(to path: String) async throws(StoreError) {
        guard let store = store as? SQLiteStore else { throw .failed(operation: .backup, code: ENOTSUP) }
        try await store.backup(to: path)
    }

    /// Stops all parts within `drain-seconds` and the disk's time for closing.
    package func stop() async {
        let seconds = context.settings.limits.drainSeconds
        context.log.event("stopping", at: context.clock.now(), [("seconds", seconds)])
        // Leaves a tenth to the store.
        let deadline = MonotonicTime.now() + .milliseconds(900 * seconds)
        for (index, part) in parts.reversed().enumerated() {
            let now = MonotonicTime.now()
            let share = max(.zero, deadline - now) / (parts.count - index)
            // Unused time goes to the later parts.
            let isInTime = await PartRace.drain(part, until: now + share, on: context.loop)
            if !isInTime {
                context.log.event("drain-overrun", .warning, at: context.clock.now(), [("part", part.name.description)])
            }
        }
        await store.close()
        context.log.event("stopped", at: context.clock.now())
        context.loop.stopLater()
    }
}
