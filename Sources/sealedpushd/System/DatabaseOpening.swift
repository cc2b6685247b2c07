import Envelope
import Networking
import Platform
import Primitives
import PushService
import PushStore
import ServiceParts

#if POSTGRESQL
import PostgreSQL
import PostgreSQLStore
#endif

/// Opens the store that a configuration names: the one place that knows both engines.
enum DatabaseOpening {
    static let open: StoreOpening = { loaded, clock, log, whileOpening throws(ServiceError) in
        #if POSTGRESQL
        if case .server(let server) = loaded.configuration.database {
            return try await open(server, loaded, clock, log)
        }
        #endif
        return try await Service.fileOpening(loaded, clock, log, whileOpening)
    }

    #if POSTGRESQL
    /// Leases end soon, so that another relay takes the shards of one that stopped over within ten seconds.
    private static var terms: ShardKeeper.Terms {
        var terms = ShardKeeper.Terms()
        (terms.term, terms.margin) = (.milliseconds(6_500), .seconds(2))
        (terms.interval, terms.intervalAfterFailure) = (.milliseconds(1_500), .seconds(1))
        return terms
    }

    private static func open(
        _ server: DatabaseServer,
        _ loaded: LoadedConfiguration,
        _ clock: ServiceClock,
        _ log: ServiceLog
    ) async throws(ServiceError) -> OpenedStore {
        var random = SystemRandom()
        let relay = RelayID(bytes: random.bytes(count: RelayID.byteCount))
        let url = try url(server, loaded)
        let pool = try pool(url, server, name: LeaseTable.applicationName(relay))
        do throws(ServiceError) {
            try await check(pool, server)
            let store: PostgreSQLStore
            do throws(StoreError) {
                let key = try StoreKey(loaded.files.tokenKey.copy(storage: .guarded))
                var settings = PostgreSQLStoreSettings()
                settings.requiresStandby = server.requiresStandby
                settings.clock = clock.wall
                settings.didCompareClocks = clock.follow
                store = try await PostgreSQLStore.open(
                    pool,
                    key: key,
                    relay: relay,
                    settings: settings,
                    now: clock.now()
                )
            } catch {
                guard error == .wrongKey else {
                    throw .database(path: server.urlFile, error.advice, .passing)
                }
                throw .store(error, path: server.urlFile)
            }
            // What earlier owners left in flight is settled with each takeover (`shards-taken`).
            log.event("store-opened", at: clock.now(), [("database", url.description), ("interrupted", 0)])
            return OpenedStore(store, leases: ShardLeases(relay: relay), terms: terms)
        } catch {
            await pool.close()
            throw error
        }
    }

    private static func check(_ pool: DatabasePool, _ server: DatabaseServer) async throws(ServiceError) {
        let readiness: DatabaseReadiness
        do throws(PostgreSQLError) {
            readiness = try await DatabaseReadiness.check(pool, requiresStandby: server.requiresStandby)
        } catch {
            throw failure(error, server)
        }
        switch readiness {
        case .ready: return
        case .schema: throw .database(path: server.urlFile, "\(readiness)", .lasting)
        case .noStandby: throw .database(path: server.urlFile, "\(readiness)", .passing)
        }
    }

    private static func url(_ server: DatabaseServer, _ loaded: LoadedConfiguration) throws(ServiceError) -> DatabaseURL
    {
        let text = loaded.files.databaseURL.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        do throws(PostgreSQLError) {
            return try DatabaseURL(String(text.prefix { $0 != "\n" }))
        } catch {
            throw failure(error, server)
        }
    }

    private static func pool(
        _ url: DatabaseURL,
        _ server: DatabaseServer,
        name: String
    ) throws(ServiceError) -> DatabasePool {
        var session = SessionSettings()
        session.applicationName = name
        var limits = PoolLimits()
        limits.connectionCountMax = server.connectionCountMax
        do throws(TransportError) {
            return DatabasePool(url, on: try loop.get(), limits: limits, settings: session)
        } catch {
            throw .system(error)
        }
    }

    /// Loop of all pools, apart from the service's: libpq reads files of certificates, and authenticates, on it. One for
    /// the process, since a start without a database is tried again and again.
    private static let loop = Result { () throws(TransportError) in try EventLoop() }

    /// During a failover there may be no server that takes writes.
    private static func failure(_ error: PostgreSQLError, _ server: DatabaseServer) -> ServiceError {
        guard case .broken(let reason) = error, reason != .readOnly, reason != .olderTimeline else {
            return .database(path: server.urlFile, error.description, .passing)
        }
        return .database(path: server.urlFile, error.description, .lasting)
    }

    #endif
}

/// Work on a database before a service runs on it.
extension DatabaseOpening {
    /// Applies what the schema lacks.
    ///
    /// - Returns: number of steps.
    static func migrate(_ server: DatabaseServer, _ loaded: LoadedConfiguration) async throws(ServiceError) -> Int {
        #if POSTGRESQL
        let pool = try pool(try url(server, loaded), server, name: "sealedpush migrate")
        let result: Result<Int, ServiceError>
        do throws(PostgreSQLError) {
            result = .success(try await SchemaMigration.run(pool))
        } catch {
            result = .failure(failure(error, server))
        }
        await pool.close()
        return try result.get()
        #else
        throw .database(path: server.urlFile, "this program has no client of PostgreSQL", .lasting)
        #endif
    }

    /// Copies a SQLite file, with what waits in it.
    ///
    /// - Returns: sentence about what was copied.
    static func move(
        _ file: String,
        _ server: DatabaseServer,
        _ loaded: LoadedConfiguration
    ) async throws(ServiceError) -> String {
        #if POSTGRESQL
        var random = SystemRandom()
        let relay = RelayID(bytes: random.bytes(count: RelayID.byteCount))
        let pool = try pool(try url(server, loaded), server, name: LeaseTable.applicationName(relay))
        let source: SQLiteStore
        do throws(StoreError) {
            let key = try StoreKey(loaded.files.tokenKey.copy(storage: .guarded))
            // Settles what was in flight.
            source = try SQLiteStore(path: file, key: key, now: ConfigurationFile.now())
        } catch {
            await pool.close()
            throw .store(error, path: file)
        }
        guard source.health != .restored else {
            await source.close()
            await pool.close()
            throw .store(.restored, path: file)
        }
        let result = await copy(source, pool, relay, server, loaded)
        await source.close()
        return try result.get()
        #else
        throw .database(path: server.urlFile, "this program has no client of PostgreSQL", .lasting)
        #endif
    }

    #if POSTGRESQL
    private static func copy(
        _ source: SQLiteStore,
        _ pool: DatabasePool,
        _ relay: RelayID,
        _ server: DatabaseServer,
        _ loaded: LoadedConfiguration
    ) async -> Result<String, ServiceError> {
        let target: PostgreSQLStore
        do throws(ServiceError) {
            try await check(pool, server)
            do throws(StoreError) {
                target = try await PostgreSQLStore.open(
                    pool,
                    key: try StoreKey(loaded.files.tokenKey.copy(storage: .guarded)),
                    relay: relay,
                    isMoving: true,
                    now: ConfigurationFile.now()
                )
            } catch {
                throw .database(path: server.urlFile, error.advice, .lasting)
            }
        } catch {
            await pool.close()
            return .failure(error)
        }
        let result: Result<String, ServiceError>
        do throws(StoreMove.Failure) {
            let counts = try await StoreMove(from: source, to: target).run()
            result = .success(
                counts.isEmpty
                    ? "nothing to do: all of it is there"
                    : "moved: \(counts[.devices] ?? 0) devices, \(counts[.entries] ?? 0) notifications"
            )
        } catch {
            let text =
                switch error {
                case .otherContents: "the database has other contents; give an empty one"
                case .store(let error): error.advice + "; the same command goes on from there"
                }
            result = .failure(.database(path: server.urlFile, text, .passing))
        }
        await target.close()
        return result
    }
    #endif
}
