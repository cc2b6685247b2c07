import Keys
import Platform

extension SharedContainer {
    /// Makes what the extension cannot while locked, and sets each file's class. In the app, at each launch.
    ///
    /// - Throws: `.locked`, `.full`, `.system`.
    package func protect() throws(ContainerError) {
        try spool.prepare()
        try resendMarkers.prepare()
        try receipts.prepare()
        try requests.prepare()
        // Reading makes the file.
        _ = try outcomeCounters.read()
        for path in pathsUntilFirstUnlock {
            guard let code = FileProtection.untilFirstUnlock.set(at: path), code != ENOENT else { continue }
            throw ContainerError(.system(call: "fcntl", path: path, code: code))
        }
    }

    private var pathsUntilFirstUnlock: [String] {
        [
            replayFolder + "/replay-window-1", replayFolder + "/sealedpush-keys", contactsPath, webPushKeysPath,
            endpointKeys.path,
            badge.path, requests.path, outcomeCounters.path, avatars.path,
            groups.path, preview.path, muted.path,
        ]
    }
}
