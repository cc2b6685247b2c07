import Envelope
import Networking
import Platform
import PushService
import ServiceParts

/// Start, signals and end of the service.
struct Daemon {
    private let path: String

    init(configuration: String) { path = configuration }

    private enum Start {
        case running(Service)
        case failed(ServiceError)
    }

    private static let clock = ServiceClock.steady(
        wall: { ConfigurationFile.now() },
        uptime: { MonotonicTime.now().nanoseconds }
    )

    func run() -> Int32 {
        // Before any other thread starts, because threads inherit blocked signals.
        let wishes = Monitored<[Signals.Wish]>([])
        guard Signals.listen({ wish in wishes.change { $0.append(wish) } }),
            let lines = StandardLog(milliseconds: { ConfigurationFile.now().milliseconds })
        else {
            Output.complain("sealedpushd: no thread could be started")
            return ExitCode.failed
        }
        let log = ServiceLog { lines.write($0) }
        let code = run(log, wishes)
        lines.close()
        return code
    }

    private func run(_ log: ServiceLog, _ wishes: Monitored<[Signals.Wish]>) -> Int32 {
        let loaded: LoadedConfiguration
        do throws(ConfigurationFileError) {
            loaded = try ConfigurationFile.load(path)
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        let systemd = SystemdNotifier(ProcessSettings.environment())
        var isWaiting = false
        while true {
            switch start(loaded, log, systemd) {
            case .running(let service):
                let socket = loaded.configuration.database.file.map { copies(of: $0, by: service, log) }
                serve(service, log, wishes, systemd)
                socket?.remove()
                return ExitCode.done
            case .failed(let error) where error.passes:
                if !isWaiting {
                    log.event("store-waiting", .error, at: Self.clock.now(), [("advice", error.description)])
                }
                isWaiting = true
                systemd?.waiting()
                // Only a cancelled task's sleep throws.
                _ = Blocking.wait { try? await Task.sleep(for: .seconds(1)) }
                if wishes.change({ $0.contains(.stop) }) { return ExitCode.done }
            case .failed(let error):
                Output.complain("sealedpushd: \(error.description)")
                return error.isLasting ? ExitCode.configuration : ExitCode.failed
            }
        }
    }

    private func copies(of database: String, by service: Service, _ log: ServiceLog) -> BackupSocket {
        let socket = BackupSocket(beside: database)
        // Without it, `backup` copies by itself.
        if !socket.serve({ StoreCommands.backup($0, by: service, of: database) }) {
            log.event("backup-socket-failed", .warning, at: Self.clock.now())
        }
        return socket
    }

    private func start(_ loaded: LoadedConfiguration, _ log: ServiceLog, _ systemd: SystemdNotifier?) -> Start {
        Blocking.wait { () async -> Start in
            do throws(ServiceError) {
                return .running(
                    try await Service.start(
                        loaded,
                        clock: Self.clock,
                        log: log,
                        opening: DatabaseOpening.open,
                        whileOpening: { systemd?.opening() }
                    )
                )
            } catch {
                return .failed(error)
            }
        }
    }

    private func serve(
        _ service: Service,
        _ log: ServiceLog,
        _ wishes: Monitored<[Signals.Wish]>,
        _ systemd: SystemdNotifier?
    ) {
        log.event("ready", at: Self.clock.now())
        systemd?.ready()
        if let systemd, let period = systemd.watchdogPeriod {
            Heartbeat.start(service, every: period) { systemd.beat() }
        }
        while true {
            switch wishes.wait({ $0.isEmpty ? nil : $0.removeFirst() }) {
            case .reload:
                systemd?.reloading()
                reload(service, log)
                systemd?.ready()
            case .stop:
                systemd?.stopping()
                Blocking.wait { await service.stop() }
                return
            }
        }
    }

    /// Failed reloads are in the audit log too.
    private func reload(_ service: Service, _ log: ServiceLog) {
        let faults = faultsOfReload(service)
        let outcome = faults.isEmpty ? "taken" : "refused"
        for fault in faults { log.event("reload-fault", .error, at: Self.clock.now(), [("fault", fault)]) }
        log.event("audit", at: Self.clock.now(), [("act", "reload"), ("outcome", outcome)])
    }

    private func faultsOfReload(_ service: Service) -> [String] {
        let next: LoadedConfiguration
        do throws(ConfigurationFileError) {
            next = try ConfigurationFile.load(path)
        } catch {
            return error.lines
        }
        let failure = Blocking.wait { () async -> ServiceError? in
            do throws(ServiceError) {
                try await service.reload(next)
                return nil
            } catch {
                return error
            }
        }
        switch failure {
        case .none: return []
        case .configuration(let error): return ConfigurationFile.lines(error, path)
        case .some(let error): return [error.description]
        }
    }
}
