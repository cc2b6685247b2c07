import Glibc
import Keys
import NotificationServiceExtension

/// The folder of a simulated phone that app and extension share. Private, temporary, gone when the phone is.
struct AppContainer: ~Copyable {
    private let folder: TemporaryFolder
    let groupPath: String

    /// Made before any thread reads the environment: the extension finds its container through it.
    init() throws(CommandFailure) {
        let folder = try TemporaryFolder("device")
        let groupPath = folder.path + "/" + PrincipalClass.appGroup
        guard unsafe mkdir(groupPath, 0o700) == 0, unsafe setenv("SEALEDPUSH_APP_GROUPS", folder.path, 1) == 0 else {
            throw .file(.system(call: "mkdir", path: groupPath, code: errno))
        }
        self.groupPath = groupPath
        self.folder = folder
    }
}
