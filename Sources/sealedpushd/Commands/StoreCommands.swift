import Platform
import PushService
import PushStore

/// What is done with the database from outside, beside a running service or without one.
enum StoreCommands {
    static func backup(_ copy: String, _ configuration: String) -> Int32 {
        // Before the database is looked at: what is said of the one must not be said of the other.
        if let problem = problem(of: copy) {
            Output.complain("sealedpushd: \(copy): \(problem)")
            return ExitCode.failed
        }
        return onStore(of: configuration, copy: copy) { path throws(StoreError) in
            try StoreCopy.make(of: path, at: copy)
            return ("copied to \(copy); it needs the same token key, which is not in it", ExitCode.done)
        }
    }

    static func integrity(_ configuration: String) -> Int32 {
        onStore(of: configuration) { path throws(StoreError) in
            let faults = try StoreCopy.integrityReport(of: path)
            return faults.isEmpty ? ("ok", ExitCode.done) : (faults.joined(separator: "\n"), ExitCode.failed)
        }
    }

    /// Why no copy can be made there.
    private static func problem(of copy: String) -> String? {
        let folder = copy.lastIndex(of: "/").map { String(copy[...$0]) } ?? "."
        if unsafe access(folder, F_OK) != 0 { return "its folder is not there; make it" }
        if unsafe access(folder, W_OK | X_OK) != 0 {
            return errno == EROFS
                ? "its file system is read-only; name another"
                : "this user can make nothing in its folder; name another"
        }
        return nil
    }

    private static func onStore(
        of configuration: String,
        copy: String? = nil,
        _ body: (String) throws(StoreError) -> (String, Int32)
    ) -> Int32 {
        let path: String
        do throws(ConfigurationFile.Faults) {
            path = try ConfigurationFile.read(configuration).databaseFile
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        do throws(StoreError) {
            let (text, code) = try body(path)
            return Output.show(text) ? code : ExitCode.failed
        } catch {
            Output.complain("sealedpushd: \(text(error, path, copy))")
            return ExitCode.failed
        }
    }

    private static func text(_ error: StoreError, _ path: String, _ copy: String?) -> String {
        switch error {
        // Only the copy is written.
        case .full, .unwritable: "\(copy ?? path): \(error.advice)"
        case .failed(.open, EEXIST): "the copy's file is there already; name another"
        case .failed(.open, ENOENT): "\(path) is not there yet; start the service once"
        case .failed(.open, EACCES): "\(path) cannot be read; run this as the user that the service runs as"
        default: "\(path): \(error.advice)"
        }
    }
}
