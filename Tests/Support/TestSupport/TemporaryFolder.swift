private import Foundation

/// A folder that goes with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    package func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file of exactly this mode.
    ///
    /// - Returns: its path.
    package func makeFile(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    deinit {
        // Nothing depends on it: leftovers are in the system's folder for temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }
}
