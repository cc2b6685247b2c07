#if canImport(Darwin)
import Foundation

extension AppDevice {
    /// What a restore brings back is refused, with every prekey (protocol v1, rule 15). Without a copy in a backup there is
    /// nothing to refuse. Said at every launch: it is a mark on the file, and goes with it when the file is replaced.
    func excludeFromBackups() {
        for path in container.backupExcludedPaths + [settings.privatePath] {
            var url = URL(fileURLWithPath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // Not there yet, or not to be marked: a restored copy is noticed all the same.
            try? url.setResourceValues(values)
        }
    }
}
#else
extension AppDevice {
    /// Elsewhere than on Apple's platforms this is for who makes the backups.
    func excludeFromBackups() {}
}
#endif
