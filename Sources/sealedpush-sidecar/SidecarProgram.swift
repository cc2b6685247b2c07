import Envelope
import Keys
import Networking
import Platform
import Primitives
import ServiceParts
import Sidecar

enum SidecarProgram {
    private static let name = "sealedpush-sidecar"

    private struct Arguments {
        var configuration: String?
        var checks = false
        var exampleKeys = PrivateFile.ExampleKeys.refused
    }

    private static let clock = ServiceClock.steady(
        wall: { Timestamp(milliseconds: SystemClock.millisecondsSince1970) },
        uptime: { MonotonicTime.now().nanoseconds }
    )

    /// - Returns: exit code.
    static func run(_ words: [String]) -> Int32 {
        switch Usage.answer(to: words) {
        case .success(let text): return Output.show(text) ? ExitCode.done : ExitCode.failed
        case .failure(let error): return complain(error.reason)
        case nil: break
        }
        var arguments = Arguments()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--check-config": arguments.checks = true
            case "--allow-example-keys": arguments.exampleKeys = .allowed
            case _ where word == "--config" || word.hasPrefix("--config="):
                let value = word == "--config" ? rest.popFirst() : String(word.dropFirst("--config=".count))
                guard arguments.configuration == nil, let file = value, !file.isEmpty, !file.hasPrefix("--") else {
                    return complain("--config FILE: the file is missing, or given twice")
                }
                arguments.configuration = file
            default: return complain(Usage.unknown(word))
            }
        }
        guard let path = arguments.configuration else { return complain("--config FILE is missing") }
        // The runtime does not report missing descriptors; before any thread.
        if let shortage = ProcessSettings.shortage(name) {
            Output.complain(shortage)
            return ExitCode.configuration
        }
        return arguments.checks ? check(path, arguments) : serve(path, arguments)
    }

    private static func complain(_ reason: String) -> Int32 {
        Output.complain("\(name): \(reason)\n\(Usage.hint)")
        return ExitCode.usage
    }

    private struct StartErrors: Error {
        let lines: [String]
        /// True if a start without any change would fail again.
        var isLasting = true
    }

    private static func read(_ path: String) throws(StartErrors) -> SidecarConfiguration {
        let file: [UInt8]
        do throws(FileError) {
            file = try WholeFile.read(path, byteCountMax: SidecarConfiguration.byteCountMax)
        } catch {
            throw StartErrors(lines: ["\(path): \(error.advice)"])
        }
        do throws(ConfigurationErrors) {
            return try SidecarConfiguration(file: file)
        } catch {
            throw StartErrors(lines: error.faults.map { "\(path):\($0.description)" })
        }
    }

    private static func load(_ path: String, _ arguments: Arguments) throws(StartErrors) -> LoadedSidecar {
        let configuration = try read(path)
        do throws(SidecarStartError) {
            return try LoadedSidecar(configuration, exampleKeys: arguments.exampleKeys)
        } catch {
            throw StartErrors(lines: ["\(path): \(error.description)"])
        }
    }

    private static func check(_ path: String, _ arguments: Arguments) -> Int32 {
        do throws(StartErrors) {
            let loaded = try load(path, arguments)
            let configuration = loaded.configuration
            var lines = ["ok"]
            if let socket = configuration.socket { lines.append("listens on \(socket.path)") }
            if let loopback = configuration.loopback { lines.append("listens on 127.0.0.1:\(loopback.port) (http)") }
            lines.append("database \(configuration.databaseFile)")
            lines.append("app \(configuration.topic.text) by \(configuration.relay.origin)")
            return Output.show(lines.joined(separator: "\n")) ? ExitCode.done : ExitCode.failed
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
    }

    private static func serve(_ path: String, _ arguments: Arguments) -> Int32 {
        let wishes = Monitored<[Signals.Wish]>([])
        // Before any other thread, since threads inherit blocked signals.
        guard Signals.listen({ wish in wishes.change { $0.append(wish) } }),
            let lines = StandardLog(milliseconds: { SystemClock.millisecondsSince1970 })
        else {
            Output.complain("\(name): the system gives no thread")
            return ExitCode.failed
        }
        let code = serve(path, arguments, ServiceLog { lines.write($0) }, wishes)
        lines.close()
        return code
    }

    private static func serve(
        _ path: String,
        _ arguments: Arguments,
        _ log: ServiceLog,
        _ wishes: Monitored<[Signals.Wish]>
    ) -> Int32 {
        let result = Blocking.wait { () async -> Result<Sidecar, StartErrors> in
            do throws(StartErrors) {
                let loaded = try load(path, arguments)
                do throws(SidecarStartError) {
                    return .success(try await Sidecar.start(loaded, clock: clock, log: log))
                } catch {
                    return .failure(
                        StartErrors(lines: ["\(name): \(error.description)"], isLasting: error.isLasting)
                    )
                }
            } catch {
                return .failure(error)
            }
        }
        let systemd = SystemdNotifier(ProcessSettings.environment())
        switch result {
        case .failure(let error):
            Output.complain(error.lines.joined(separator: "\n"))
            return error.isLasting ? ExitCode.configuration : ExitCode.failed
        case .success(let sidecar):
            log.event("ready", at: clock.now())
            systemd?.ready()
            // A reload is a restart: what waits is on the disk.
            while wishes.wait({ $0.isEmpty ? nil : $0.removeFirst() }) != .stop {}
            systemd?.stopping()
            Blocking.wait { await sidecar.stop() }
            return ExitCode.done
        }
    }
}
