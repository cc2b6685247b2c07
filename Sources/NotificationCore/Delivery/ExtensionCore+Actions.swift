import Envelope
import Keys
import Opening
import Platform
import Primitives

// One push, from event to action. Every decision is the machine's, under the lock; every action happens outside it.
extension ExtensionCore {
    typealias Machine = PendingDelivery.Machine

    /// Where code runs: whether it may wait for a disk, and for a handler.
    enum Place {
        /// One of the few that wait for disks. A handler that blocks there leaves its place to another.
        case thread
        /// The system's own, which waits for one push alone, and no longer than its handler takes.
        case caller
        /// A task's: nothing may block there.
        case task
    }

    /// On a thread of its own.
    func open(_ push: IncomingPush, for number: UInt64) {
        // It waited behind a disk that hung, and was answered meanwhile: to claim it now would hide it from the app.
        guard pending.withLock({ $0[number]?.machine.isOpening }) == true else { return }
        // Opening may outlast the answer, by a disk that is slow, and then takes the window's lock when iOS could suspend.
        let activity = ExpiringActivity {}
        defer { activity.end() }
        let content = steps.open(push)
        record(content)
        let event = Machine.Event.opened(content, fetches: hasAttachments(content) || looksAtScreen(for: content))
        let actions = pending.withLock { $0.handle(event, for: number) }
        // Opened too late for this push to be shown.
        guard !actions.isEmpty else { return withdraw(content) }
        perform(actions, for: number, on: .thread)
    }

    func handle(_ event: Machine.Event, for number: UInt64, on place: Place = .task) {
        perform(pending.withLock { $0.handle(event, for: number) }, for: number, on: place)
    }

    func perform(_ actions: [Machine.Action], for number: UInt64, on place: Place = .task) {
        for action in actions {
            switch action {
            case .fetch(let content): fetch(for: content, number)
            case .stopFetching: stopFetching(number)
            case .answer(let content): answer(content, number, on: place)
            case .remember(let content):
                run(for: number, on: place) { [self] in
                    steps.remember(content)
                    handle(.remembered, for: number, on: .thread)
                }
            case .keep:
                guard let push = pending.withLock({ $0[number]?.push }) else { continue }
                run(for: number, on: place) { [steps] in steps.keep(push) }
            case .finish(let content):
                let activity = pending.withLock { $0[number]?.activity }
                run(for: number, on: place) { [steps] in
                    steps.count(content.kind)
                    activity?.end()
                }
                pending.withLock { $0[number] = nil }
            }
        }
    }

    /// All time for a push is over when `alarm` returns; where time is the machine's, it is not asked, and one timer serves
    /// all pushes.
    func end(_ number: UInt64, at alarm: @escaping @Sendable () async throws -> Void) -> PendingDelivery.Deadline {
        guard surroundings.isMachineTime else { return .task(task(at: alarm) { $0.handle(.timeOver, for: number) }) }
        return .alarm(AlarmClock.ofProcess.set(after: settings.timing.deadline) { self.handle(.timeOver, for: number) })
    }

    /// Not run where it is cancelled before its time.
    func task(
        at alarm: @escaping @Sendable () async throws -> Void,
        _ body: @escaping @Sendable (ExtensionCore) -> Void
    ) -> Task<Void, Never> {
        surroundings.task { [self] in
            // A clock that fails must not cost the answer: only a task that was cancelled is not needed any more.
            do { try await alarm() } catch { guard !Task.isCancelled else { return } }
            body(self)
        }
    }

    private func answer(_ content: NotificationContent, _ number: UInt64, on place: Place) {
        let (handler, deadline) = pending.withLock { pending in
            defer {
                pending[number]?.handler = nil
                pending[number]?.deadline = nil
            }
            return (pending[number]?.handler, pending[number]?.deadline)
        }
        let errand = courier?.prepare()
        // Before the handler: iOS may suspend the process right after it, and a lock that it holds then would end it.
        let activity = ExpiringActivity {}
        pending.withLock { $0[number]?.activity = activity }
        call(for: number, on: place) { [self] in
            handler?.call(content)
            courier?.start(errand, releasing: content.receipt)
            deadline?.cancel()
            handle(.answered, for: number, on: place)
        }
    }

    /// Runs what calls a handler: a stranger's code, which may block, and then holds up nothing but its own push.
    private func call(for number: UInt64, on place: Place, _ body: @escaping @Sendable () -> Void) {
        switch place {
        case .thread: surroundings.runBlocking(body)
        case .caller: body()
        case .task:
            let device = pending.withLock { $0[number]?.device }
            surroundings.runAlone(device?.job(body) ?? body)
        }
    }

    private func run(for number: UInt64, on place: Place, _ body: @escaping @Sendable () -> Void) {
        guard place != .thread else { return body() }
        let device = pending.withLock { $0[number]?.device }
        surroundings.runOnThread(device?.job(body) ?? body)
    }
}

// Reports, durable before anything is shown: whatever ends the process then, they are not lost.
extension ExtensionCore {
    private func record(_ content: NotificationContent) {
        if content.outcome == .unknownKey || content.outcome == .staleKey { courier?.noteReport(holding: nil) }
        guard let receipts, let receipt = content.receipt else { return }
        courier?.noteReport(holding: receipt)
        var random = SystemRandom()
        // A receipt that cannot be kept is not sent either: its absence says nothing.
        do throws(ContainerError) { try receipts.add(receipt, now: .now, random: &random) } catch { return }
    }

    /// No receipt for what nobody sees: the message is shown when it comes again, and has its receipt then.
    private func withdraw(_ content: NotificationContent) {
        guard let receipts, let receipt = content.receipt else { return }
        // What stays on a disk that fails is sent by the app: the message was opened.
        do throws(ContainerError) { try receipts.remove([receipt]) } catch {}
        courier?.start(nil, releasing: receipt)
    }
}

// What the content lacks: attachments, or what the screen shows already.
extension ExtensionCore {
    private func hasAttachments(_ content: NotificationContent) -> Bool {
        guard let fetcher = settings.attachments, settings.timing.attachmentSlice > .zero,
            let message = content.messageWithAttachments
        else { return false }
        return fetcher.hasAttachments(message)
    }

    private func fetch(for content: NotificationContent, _ number: UInt64) {
        let budget = looksAtScreen(for: content) ? Self.screenSlice : settings.timing.attachmentSlice
        let sliceEnd = surroundings.alarm(after: budget)
        pending.withLock { pending in
            // The time may have ended since.
            guard pending[number]?.machine.isFetching == true else { return }
            pending[number]?.fetching = surroundings.task { [self] in
                if looksAtScreen(for: content) {
                    await findListed(for: content) { [self] in _ = take($0, for: number) }
                } else if let fetcher = settings.attachments, let message = content.messageWithAttachments {
                    await fetcher.fetch(for: message, within: budget) { [self] in take(content.with($0), for: number) }
                }
                handle(.fetchEnded, for: number)
            }
            pending[number]?.slice = task(at: sliceEnd) { $0.handle(.sliceOver, for: number) }
        }
    }

    /// - Returns: whether it is in time.
    private func take(_ improved: NotificationContent, for number: UInt64) -> Bool {
        pending.withLock { pending in
            guard pending[number]?.machine.isFetching == true else { return false }
            // It is a better content for later, and asks for nothing now.
            _ = pending.handle(.fetched(improved), for: number)
            return true
        }
    }

    private func stopFetching(_ number: UInt64) {
        let tasks = pending.withLock { [$0[number]?.fetching, $0[number]?.slice] }
        for task in tasks { task?.cancel() }
    }
}

extension NotificationContent {
    /// The message that is shown, where it may have attachments.
    fileprivate var messageWithAttachments: OpenedMessage? {
        guard takesAttachments, case .opened(let opened) = outcome else { return nil }
        return opened
    }
}
