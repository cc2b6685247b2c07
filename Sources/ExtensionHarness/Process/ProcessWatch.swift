import Platform
internal import UserNotifications

/// One extension process, seen from outside: passes commands to its thread.
final class ProcessWatch: Sendable {
    struct Setting: Sendable {
        let program: ExtensionProgram
        /// Working folder, also for temporary files.
        let folder: String
        let memoryByteCountMax: Int
        let onLateAnswer: @Sendable () -> Void
        let onLateLock: @Sendable () -> Void
    }

    enum Command: Sendable {
        case deliver(Int, ExtensionRequest, @Sendable (ExtensionOutcome?) -> Void)
        case hurry(Int)
        case end
    }

    struct Inbox: Sendable {
        var commands: [Command] = []
        var nextNumber = 0
        /// Outcome of every later push, once the process is over; an inner nil: it takes another process.
        var refusal: ExtensionOutcome??

        mutating func take() -> [Command] {
            defer { commands = [] }
            return commands
        }
    }

    private let inbox = Guarded(Inbox())
    private let wakeEvent = WakeEvent()

    /// Starts the thread. The process itself starts with the first push.
    init(_ setting: Setting) {
        let thread = Thread { [inbox, wakeEvent] in
            let loop = ProcessLoop(setting, inbox: inbox, wakeEvent: wakeEvent)
            let refusal = loop.run()
            let left = inbox.withLock { inbox in
                inbox.refusal = .some(refusal)
                return inbox.take()
            }
            for case .deliver(_, _, let finish) in left { finish(refusal) }
        }
        thread.name = "extension process"
        thread.start()
    }

    deinit {
        post(.end)
    }

    /// Runs the extension over one push.
    ///
    /// - Returns: Nil if the process was over before the push could reach it.
    func run(_ request: ExtensionRequest) async -> ExtensionOutcome? {
        let number = inbox.withLock { inbox in
            defer { inbox.nextNumber += 1 }
            return inbox.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refusal = post(.deliver(number, request) { continuation.resume(returning: $0) })
                if let refusal { continuation.resume(returning: refusal) }
                // Cancellation may have come before the push was posted.
                if Task.isCancelled { post(.hurry(number)) }
            }
        } onCancel: {
            post(.hurry(number))
        }
    }

    @discardableResult
    private func post(_ command: Command) -> ExtensionOutcome?? {
        let refusal = inbox.withLock { inbox in
            if inbox.refusal == nil { inbox.commands.append(command) }
            return inbox.refusal
        }
        wakeEvent.signal()
        return refusal
    }
}
