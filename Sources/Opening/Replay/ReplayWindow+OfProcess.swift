package import Platform

extension ReplayWindow {
    /// The window that this process has open already, if it is still the one in the folder; otherwise opened now, and
    /// kept. For the extension, whose process serves push after push: opening anew for each would cost a pass over the
    /// header, and a thread and a write to disk for each push, where one of both in a second is enough.
    ///
    /// An open file is no lock: iOS suspends a process that has one, and does not end it.
    ///
    /// - Parameters:
    ///   - folder: the one that app and extension share.
    ///   - uptime: the device's.
    /// - Returns: the window, as the app left it.
    /// - Throws: what opening throws, also where an open window could no longer be written.
    package static func ofProcess(
        folder: String,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) -> ReplayWindow {
        let path = folder + "/" + WindowLayout.name
        if let code = DeviceRules.refusal(of: .overwrite, at: path) { throw ReplayWindowError("open", code: code) }
        // Looked at before it is opened: replaced in between, the next call sees another file than this one says.
        let place = try FilePlace(path: path)
        if let open = kept.withLock({ $0 }), open.place == place {
            try open.window.catchUp()
            return open.window
        }
        let window = try ReplayWindow(folder: folder, uptime: uptime)
        kept.withLock { $0 = Kept(place: place, window: window) }
        return window
    }

    /// The app may have raised the generation since; what `store` says is as of the last operation.
    private func catchUp() throws(ReplayWindowError) {
        try perform { (_: inout WindowCore) throws(ReplayWindowError) in }
    }

    private static let kept = Guarded<Kept?>(nil)

    private struct Kept: Sendable {
        let place: FilePlace
        let window: ReplayWindow
    }

    /// Which file a path leads to. While one is open its number is not given to another.
    private struct FilePlace: Equatable, Sendable {
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
