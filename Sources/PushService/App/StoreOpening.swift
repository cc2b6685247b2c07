import Envelope
import Platform
import Primitives
package import PushStore
package import ServiceParts

/// Opened store of a starting service.
package struct OpenedStore: Sendable {
    package let store: any RelayStore
    /// Leases from the opening on, without an end; none where relays share the store.
    package let leases: ShardLeases
    package let uncertainFallbackCount: Int
    package let terms: ShardKeeper.Terms

    package init(
        _ store: any RelayStore,
        leases: ShardLeases,
        uncertainFallbackCount: Int = 0,
        terms: ShardKeeper.Terms = ShardKeeper.Terms()
    ) {
        self.store = store
        self.leases = leases
        self.uncertainFallbackCount = uncertainFallbackCount
        self.terms = terms
    }
}

/// Opens the store that a configuration names; it may take long, and then calls the last argument repeatedly.
package typealias StoreOpening =
    @Sendable (
        LoadedConfiguration, ServiceClock, ServiceLog, @escaping @Sendable () -> Void
    ) async throws(ServiceError) -> OpenedStore

extension Service {
    /// Opens SQLite's file. Blocks on the disk: not for an event loop.
    package static let fileOpening: StoreOpening = { loaded, clock, log, whileOpening throws(ServiceError) in
        guard let path = loaded.configuration.database.file else {
            throw .database(
                path: loaded.configuration.database.path,
                "this program has no client of PostgreSQL",
                .lasting
            )
        }
        let settings = StoreSettings(whileOpening: { progress in
            if case .upgrading(let versionBefore, let version) = progress {
                log.event(
                    "store-upgrading",
                    at: clock.now(),
                    [("version-before", versionBefore), ("version", version)]
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
                    ("version-before", report.versionBefore), ("version", report.version),
                    ("interrupted", report.interruptedCount), ("waiting", report.waitingCount),
                    ("restored", report.restoreCause?.word ?? "no"),
                ]
            )
            if let cause = report.restoreCause {
                let advice = StoreError.restored.advice
                log.event("restored", .error, at: clock.now(), [("cause", cause.word), ("advice", advice)])
            }
            for entry in report.uncertainFallbacks {
                log.fallback("fallback-uncertain", entry, "interrupted", at: clock.now())
            }
            let count = report.uncertainFallbacks.count
            return OpenedStore(store, leases: report.leases, uncertainFallbackCount: count)
        } catch {
            throw .store(error, path: path)
        }
    }
}
