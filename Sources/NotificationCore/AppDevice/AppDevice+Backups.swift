#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
import Foundation

extension AppDevice {
    /// Restored copies are refused, with every prekey (protocol v1, rule 15). Repeated at each launch: replacing a file
    /// drops its mark.
    func excludeFromBackups() {
        for path in container.backupExcludedPaths + [settings.privatePath] {
            var url = URL(fileURLWithPath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // Missing or unmarkable: a restored copy is detected anyway.
            try? url.setResourceValues(values)
        }
    }
}
#else
extension AppDevice {
    /// On other platforms, a matter of the backup's owner.
    func excludeFromBackups() {}
}
#endif
