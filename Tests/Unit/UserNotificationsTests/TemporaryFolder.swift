import UserNotifications

/// A folder that goes with its last reference.
final class TemporaryFolder {
    let url: URL

    init(suffix: String = "") throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString + suffix,
            isDirectory: true
        )
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    func makeFile(_ name: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data([0]).write(to: file)
        return file
    }

    deinit {
        // Nothing depends on it: leftovers are in the system's folder for temporary files.
        try? FileManager.default.removeItem(at: url)
    }
}
