internal import Platform
internal import UserNotifications

/// Runs extensions in their own processes, one for each push or for all, by the device's conditions.
final class ProcessHost: ExtensionHosting {
    private struct State {
        var reused: ProcessWatch?
        var processCount = 0
    }

    private let program: ExtensionProgram
    private let folder = ProcessFolder()
    private let state = Guarded(State())
    private let lateCallCount = Guarded(0)
    private let lateLocks = Guarded(0)

    init(_ program: ExtensionProgram) {
        self.program = program
    }

    var lateHandlerCallCount: Int { lateCallCount.withLock { $0 } }
    var lateLockCount: Int { lateLocks.withLock { $0 } }

    func run(
        _ request: ExtensionRequest,
        show: @Sendable (ExtensionOutcome) -> ShownNotification
    ) async -> ShownNotification {
        while true {
            // A process that ended since its last push returns nil; a new one always takes its first push, and ends the
            // loop.
            let watch = watch(for: request)
            if let outcome = await watch.run(request) { return show(outcome) }
            state.withLock { if $0.reused === watch { $0.reused = nil } }
        }
    }

    private func watch(for request: ExtensionRequest) -> ProcessWatch {
        state.withLock { state in
            if request.conditions.process == .reused, let reused = state.reused { return reused }
            state.processCount += 1
            let watch = ProcessWatch(
                ProcessWatch.Setting(
                    program: program,
                    folder: folder.makeFolder(state.processCount),
                    memoryByteCountMax: request.conditions.memoryLimit.byteCount,
                    onLateAnswer: { [lateCallCount] in lateCallCount.withLock { $0 += 1 } },
                    onLateLock: { [lateLocks] in lateLocks.withLock { $0 += 1 } }
                )
            )
            if request.conditions.process == .reused { state.reused = watch }
            return watch
        }
    }
}

/// Private folder with a subfolder for each process. It outlives them, because an answer's attachments may be read
/// later.
private final class ProcessFolder: Sendable {
    /// Empty if none could be made; the processes then fail to start.
    private let path = Guarded<String?>(nil)

    deinit {
        // A process still alive finds no folder, and is to be ended.
        if let path = path.withLock({ $0 }), !path.isEmpty { try? FileManager.default.removeItem(atPath: path) }
    }

    func makeFolder(_ number: Int) -> String {
        let path = path.withLock { path in
            let made = path ?? Self.make()
            path = made
            return made
        }
        guard !path.isEmpty else { return "" }
        let folder = "\(path)/\(number)"
        _ = unsafe mkdir(folder, 0o700)
        return folder
    }

    private static func make() -> String {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/extension-XXXXXX".utf8CString)
        return unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
    }
}
