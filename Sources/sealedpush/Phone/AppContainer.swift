import ChildProcesses
import CommandLineTool
import Glibc
import Keys
import NotificationServiceExtension

/// Folders of a simulated phone, shared and the app's own; temporary unless a place is given.
struct AppContainer: ~Copyable {
    private let temporary: Temporary?
    let groupPath: String
    /// Not made yet.
    let privatePath: String

    /// Before any thread reads the environment, by which the extension finds its container.
    ///
    /// - Parameter place: folder that stays; nil for a temporary one.
    init(at place: String? = nil) throws(CommandError) {
        let temporary = place == nil ? try Temporary() : nil
        if let place { try Self.make(place) }
        let path = if let temporary { temporary.path } else { try AbsolutePath.of(place ?? "") }
        let groupPath = path + "/" + PrincipalClass.appGroup
        try Self.make(groupPath)
        guard unsafe setenv("SEALEDPUSH_APP_GROUPS", path, 1) == 0 else {
            throw .file(.system(call: "setenv", path: path, code: errno))
        }
        self.temporary = temporary
        self.groupPath = groupPath
        privatePath = path + "/SealedPush"
    }

    /// Boxed, because it is optional.
    private final class Temporary {
        private let folder: TemporaryFolder

        init() throws(CommandError) { folder = try TemporaryFolder("device") }

        var path: String { folder.path }
    }

    private static func make(_ path: String) throws(CommandError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .file(.system(call: "mkdir", path: path, code: errno))
        }
    }
}
