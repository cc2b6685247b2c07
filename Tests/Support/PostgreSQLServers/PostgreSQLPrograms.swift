private import Foundation
internal import Platform

/// The server's programs, and how to start them: PostgreSQL runs for no one with root's rights.
package enum PostgreSQLPrograms {
    /// Debian's user `nobody`.
    static let unprivileged: uid_t = 65_534

    /// Folder of the newest version that Debian's package postgresql has put there.
    static let folder: String = {
        let root = "/usr/lib/postgresql"
        // Without the package there is no such folder.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root))?.compactMap { Int($0) } ?? []
        let newest = versions.sorted().last { unsafe access("\(root)/\($0)/bin/initdb", X_OK) == 0 }
        return newest.map { "\(root)/\($0)/bin" } ?? ""
    }()

    package static var areInstalled: Bool { !folder.isEmpty }

    /// Words before a program: its user, and of this process's variables those of its clock (Tests/Tools/InAnotherYear).
    static let words: [String] = {
        let user = ["/usr/bin/setpriv", "--reuid=\(unprivileged)", "--regid=\(unprivileged)", "--clear-groups"]
        var clock: [String] = []
        for name: String in ["LD_PRELOAD", "SHIFT_CLOCK_SECONDS"] {
            if let value = unsafe getenv(name) { unsafe clock.append("\(name)=\(String(cString: value))") }
        }
        return (geteuid() == 0 ? user : []) + ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C"] + clock
    }()
}
