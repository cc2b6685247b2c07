import Keys
import Platform
import Primitives
import PushService
import PushStore
import ServiceParts

enum StoreCommands {
    static func backup(_ copy: String, _ configuration: String) -> Int32 {
        // Before the database, whose faults have other texts.
        if let problem = problem(of: copy) {
            Output.complain("sealedpushd: \(copy): \(problem)")
            return ExitCode.failed
        }
        return onStore(of: configuration, copy: copy) { path throws(StoreError) in
            let progress = WorkProgress("copying \(path)", from: path, to: copy)
            defer { progress.end() }
            switch BackupSocket(beside: path).ask(absolute(copy)) {
            case nil: try StoreCopy.make(of: path, at: copy)
            case BackupSocket.done: break
            case "": return ("the service ended before the copy was made", ExitCode.failed)
            case .some(let text): return (text, ExitCode.failed)
            }
            return ("copied to \(copy); it needs the same token key, which is not in it", ExitCode.done)
        }
    }

    static func integrity(_ configuration: String) -> Int32 {
        onStore(of: configuration) { path throws(StoreError) in
            let progress = WorkProgress("reading \(path)")
            defer { progress.end() }
            let faults = try StoreCopy.integrityReport(of: path)
            return faults.isEmpty ? ("ok", ExitCode.done) : (faults.joined(separator: "\n"), ExitCode.failed)
        }
    }

    /// - Returns: `BackupSocket.done`, or a sentence.
    static func backup(_ copy: String, by service: Service, of path: String) -> String {
        if let problem = problem(of: copy) { return "\(copy): the service cannot write there: \(problem)" }
        let failure = Blocking.wait { () async -> StoreError? in
            do throws(StoreError) {
                try await service.backup(to: copy)
                return nil
            } catch {
                return error
            }
        }
        return failure.map { text($0, path, copy) } ?? BackupSocket.done
    }

    /// For a process with another working directory.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    /// Opens the database, which no service may use meanwhile.
    static func acknowledgeRestore(_ queue: RestoredQueue, _ configuration: String) -> Int32 {
        let loaded: LoadedConfiguration
        do throws(ConfigurationFileError) {
            loaded = try ConfigurationFile.load(configuration)
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        guard let path = loaded.configuration.database.file else { return refuse(loaded.configuration) }
        // Otherwise an empty one would be made.
        guard unsafe access(path, F_OK) == 0 else {
            Output.complain("sealedpushd: \(path) does not exist; put the back-up there first")
            return ExitCode.failed
        }
        do throws(StoreError) {
            var settings = StoreSettings()
            settings.restoredQueue = queue
            let key = try StoreKey(loaded.files.tokenKey.copy(storage: .guarded))
            let store = try SQLiteStore(path: path, key: key, settings: settings, now: ConfigurationFile.now())
            Blocking.wait { await store.close() }
            return Output.show(text(store.openingReport, queue)) ? ExitCode.done : ExitCode.failed
        } catch {
            Output.complain("sealedpushd: \(text(error, path, nil))")
            return ExitCode.failed
        }
    }

    private static func text(_ report: OpeningReport, _ queue: RestoredQueue) -> String {
        guard let cause = report.restoreCause else { return "nothing to acknowledge: the database was not restored" }
        let count = report.waitingCount
        return switch queue {
        case .send: "acknowledged (\(cause.word)): \(count) notifications that waited in it will be sent"
        case .drop: "acknowledged (\(cause.word)): \(count) notifications that waited in it are dead letters"
        }
    }

    private static func problem(of copy: String) -> String? {
        let folder = copy.lastIndex(of: "/").map { String(copy[...$0]) } ?? "."
        if FileError.exists(path: copy).isAboutFolder { return "it is a folder; give the path of a file" }
        if unsafe access(folder, F_OK) != 0 { return "its folder does not exist; make it" }
        if unsafe access(folder, W_OK | X_OK) != 0 {
            return errno == EROFS
                ? "its file system is read-only; name another"
                : "this user cannot write in its folder; name another"
        }
        return nil
    }

    private static func onStore(
        of configuration: String,
        copy: String? = nil,
        _ body: (String) throws(StoreError) -> (String, Int32)
    ) -> Int32 {
        let read: ServiceConfiguration
        do throws(ConfigurationFileError) {
            read = try ConfigurationFile.read(configuration)
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        guard let path = read.database.file else { return refuse(read) }
        do throws(StoreError) {
            let (text, code) = try body(path)
            if copy != nil, code != ExitCode.done {
                Output.complain("sealedpushd: \(text)")
                return code
            }
            return Output.show(text) ? code : ExitCode.failed
        } catch {
            Output.complain("sealedpushd: \(text(error, path, copy))")
            return ExitCode.failed
        }
    }

    private static func refuse(_ configuration: ServiceConfiguration) -> Int32 {
        Output.complain(
            "sealedpushd: \(configuration.database.path): this command is for a 'database-file'; PostgreSQL has tools of its"
                + " own (docs/operations.md)"
        )
        return ExitCode.failed
    }

    private static func text(_ error: StoreError, _ path: String, _ copy: String?) -> String {
        switch error {
        // Only the copy is written.
        case .full, .unwritable: "\(copy ?? path): \(error.advice)"
        case .failed(.backup, EBUSY): "another copy is being made; wait for its end"
        case .failed(.open, EEXIST): "the copy's file exists already; name another"
        case .failed(.open, ENOENT): "\(path) does not exist yet; start the service once"
        case .failed(.open, EACCES): "\(path) cannot be read; run this as the service's user"
        default: "\(path): \(error.advice)"
        }
    }
}
