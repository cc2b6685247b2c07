internal import Platform
internal import UserNotifications

/// Runs extensions in processes of their own: one for each push, or one for all as long as it lives, as the device's
/// conditions say.
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
            // A process that ended since its last push leaves this one to the next: a new process takes its first push
            // in any case.
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

/// A private folder with one for each process, for as long as somebody may look at what is in them: the attachments of
/// an answer, say. Made for the first process.
private final class ProcessFolder: Sendable {
    /// Empty where none could be made: then the processes cannot start, and say so.
    private let path = Guarded<String?>(nil)

    deinit {
        // A process that lives a moment longer finds no folder, and is about to be ended anyway.
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
