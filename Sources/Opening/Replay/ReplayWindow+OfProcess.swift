package import Platform

extension ReplayWindow {
    /// Process's open window, or a new one if the folder's file changed. Reopening costs a pass over the header, a
    /// thread and a disk write. An open file is no lock: iOS suspends its process without ending it.
    package static func ofProcess(
        folder: String,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) -> ReplayWindow {
        let path = folder + "/" + WindowLayout.name
        if let code = DeviceRules.refusal(of: .overwrite, at: path) { throw ReplayWindowError("open", code: code) }
        // Before opening: after a replacement in between, the next call sees a different file.
        let place = try FileLocation(path: path)
        if let open = kept.withLock({ $0 }), open.place == place {
            try open.window.catchUp()
            return open.window
        }
        let window = try ReplayWindow(folder: folder, uptime: uptime)
        kept.withLock { $0 = Kept(place: place, window: window) }
        return window
    }

    private func catchUp() throws(ReplayWindowError) {
        try perform { (_: inout WindowCore) throws(ReplayWindowError) in }
    }

    private static let kept = Guarded<Kept?>(nil)

    private struct Kept: Sendable {
        let place: FileLocation
        let window: ReplayWindow
    }

    /// A file's number is not reused while it is open.
    private struct FileLocation: Equatable, Sendable {
        let device: UInt64
        let number: UInt64

        init(path: String) throws(ReplayWindowError) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else {
                throw errno == ENOENT ? .missing : ReplayWindowError("lstat", code: errno)
            }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }
}
