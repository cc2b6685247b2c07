import Envelope
import Platform
import Primitives
package import PushStore
import Transport

/// The push service: its loop, its store, and its parts, from start to end.
///
/// Parts begin in their order, work before intake, and end in the other one: first nothing new is taken, then what was taken
/// is brought on its way, then what tenants are to be told, then the store.
package final class Service: Sendable {
    package let context: ServiceContext
    private let store: SQLiteStore
    private let parts: [any ServicePart]
    private let current: Guarded<LoadedConfiguration>

    /// Opens everything and begins. Waits for the disk: not on an event loop.
    ///
    /// - Parameters:
    ///   - loaded: a configuration and its files.
    ///   - clock: the time.
    ///   - log: where lines go.
    ///   - makeParts: `standardParts`, outside of tests.
    ///   - whileOpening: called again and again while the opening of the database takes long, on a thread of its own.
    /// - Returns: the service, which runs until `stop()`.
    /// - Throws: why it did not start; what had begun has ended then.
    package static func start(
        _ loaded: LoadedConfiguration,
        clock: ServiceClock,
        log: ServiceLog,
        makeParts: ServicePartsFactory = standardParts,
        whileOpening: @escaping @Sendable () -> Void = {}
    ) async throws(ServiceError) -> Service {
        try LibraryFloor.check()
        let store = try open(loaded, clock, log, whileOpening)
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
            settings: ServiceSettings(loaded.configuration)
        )
        noteCertificates(loaded, context)
        auditClearText(context)
        let uncertainCount = store.openingReport.uncertainFallbacks.count
        context.metrics.withLock { $0.didEndFallback(.uncertain, count: uncertainCount) }
        var started: [any ServicePart] = []
        do throws(ServiceError) {
            let parts = try makeParts(ServiceFoundation(context: context, store: store, loaded: loaded))
            for part in parts {
                try await part.start()
                started.append(part)
            }
            return Service(context, store, parts, loaded)
        } catch {
            // Nothing was taken yet that would be worth waiting for.
            for part in started.reversed() { await part.drain(until: .now()) }
            await store.close()
            loop.stopLater()
            throw error
        }
    }

    private init(
        _ context: ServiceContext,
        _ store: SQLiteStore,
        _ parts: [any ServicePart],
        _ loaded: LoadedConfiguration
    ) {
        self.context = context
        self.store = store
        self.parts = parts
        current = Guarded(loaded)
    }

    private static func open(
        _ loaded: LoadedConfiguration,
        _ clock: ServiceClock,
        _ log: ServiceLog,
        _ whileOpening: @escaping @Sendable () -> Void
    ) throws(ServiceError) -> SQLiteStore {
        let path = loaded.configuration.databaseFile
        let settings = StoreSettings(whileOpening: { progress in
            if case .upgrading(let versionBefore, let version) = progress {
                log.event(
                    "store-upgrading",
                    at: clock.now(),
                    [("version-before", "\(versionBefore)"), ("version", "\(version)")]
                )
            }
            whileOpening()
        })
        do throws(StoreError) {
            let key = try StoreKey(loaded.files.tokenKey.copy(storage: .guarded))
            let store = try SQLiteStore(path: path, key: key, settings: settings, now: clock.now())
            let report = store.openingReport
            log.event(
                "store-opened",
                at: clock.now(),
                [
                    ("version-before", "\(report.versionBefore)"), ("version", "\(report.version)"),
                    ("interrupted", "\(report.interruptedCount)"), ("waiting", "\(report.waitingCount)"),
                    ("restored", report.restoreCause?.word ?? "no"),
                ]
            )
            if let cause = report.restoreCause {
                let advice = StoreError.restored.advice
                log.event("restored", at: clock.now(), [("cause", cause.word), ("advice", advice)])
            }
            for entry in report.uncertainFallbacks {
                log.fallback("fallback-uncertain", entry, "interrupted", at: clock.now())
            }
            return store
        } catch {
            throw .store(error, path: path)
        }
    }

    private static func noteCertificates(_ loaded: LoadedConfiguration, _ context: ServiceContext) {
        context.metrics.withLock { $0.certificatesEnd = loaded.files.certificatesEnd }
    }

    /// Every tenant by whose setting words go out in clear, at each start and reload.
    private static func auditClearText(_ context: ServiceContext) {
        for tenant in context.settings.configuration.tenants where tenant.allowsClearText {
            context.log.event(
                "audit",
                at: context.clock.now(),
                [("act", "allows-clear-text"), ("tenant", tenant.id.text)]
            )
        }
    }

    // MARK: Reload

    /// Works by another configuration from now on. Not while another reload or `stop()` goes on.
    ///
    /// - Parameter next: the configuration and its files.
    /// - Throws: why it goes on with the one it had: every fault of what cannot change while it runs, or what a part says.
    package func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        let earlier = current.withLock { $0 }
        let faults = next.lastingFaults(beside: earlier)
        guard faults.isEmpty else { throw .configuration(ConfigurationError(faults: faults)) }
        context.replaceSettings(ServiceSettings(next.configuration))
        var reloaded: [any ServicePart] = []
        do throws(ServiceError) {
            // Who listens first: the world may refuse that.
            for part in parts.reversed() {
                try await part.reload(next)
                reloaded.append(part)
            }
        } catch {
            context.replaceSettings(ServiceSettings(earlier.configuration))
            // It worked by that configuration a moment ago; what fails now has been logged by the part itself.
            for part in reloaded { try? await part.reload(earlier) }
            throw error
        }
        current.withLock { $0 = next }
        // Not before: what a reload takes away does not come back when it is refused.
        context.metrics.withLock { $0.adopt(apps: context.settings.bundleIDs) }
        Self.noteCertificates(next, context)
        Self.auditClearText(context)
    }

    // MARK: Health and end

    /// Whether the loop and the threads of the store do what they are asked: returns only when they have answered.
    package func isAnswering() async -> Bool {
        let loopAnswers = await context.loop.run { true }
        let storeAnswers = await store.isAnswering()
        return loopAnswers && storeAnswers
    }

    /// Copies the database while everything goes on.
    ///
    /// - Parameter path: a file that is not there yet.
    /// - Throws: what a disk does.
    package func backup(to path: String) async throws(StoreError) { try await store.backup(to: path) }

    /// Ends everything in order, within the configuration's `drain-seconds` and the time that the disk takes for its part.
    package func stop() async {
        let seconds = context.settings.limits.drainSeconds
        context.log.event("stopping", at: context.clock.now(), [("seconds", "\(seconds)")])
        // The last tenth is the store's.
        let deadline = MonotonicTime.now() + .milliseconds(900 * seconds)
        for (index, part) in parts.reversed().enumerated() {
            let now = MonotonicTime.now()
            let share = max(.zero, deadline - now) / (parts.count - index)
            // Intake gets its share; what it leaves is everybody's who comes after.
            let isInTime = await PartRace.drain(part, until: now + share, on: context.loop)
            if !isInTime {
                context.log.event("drain-overrun", at: context.clock.now(), [("part", part.name.description)])
            }
        }
        await store.close()
        context.log.event("stopped", at: context.clock.now())
        context.loop.stopLater()
    }
}
