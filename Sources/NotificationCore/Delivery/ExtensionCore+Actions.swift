import Envelope
import Keys
import Opening
import Platform
import Primitives

// Event to action for one push. The machine decides under the lock; actions run outside it.
extension ExtensionCore {
    typealias Machine = PendingDelivery.Machine

    /// Context that limits what code may wait for.
    enum Place {
        /// One of the few threads that wait for disks; a blocking handler frees its place.
        case thread
        /// System's thread, which waits for one push only.
        case caller
        /// A task: no blocking.
        case task
    }

    /// Fetches the record of a push that only tells of one, then opens the push. The deadline ends the wait; the app
    /// fetches it later then.
    func fetchAndOpen(_ push: IncomingPush, for number: UInt64) {
        guard let relay = settings.relay, let name = steps.recordName(push) else { return open(push, for: number) }
        let device = pending.withLock { $0[number]?.device }
        let fetching = surroundings.task { [self] in
            // `try?`: without it the push stays unopened, and is kept.
            let record = try? await relay.record(name)
            let whole = record.flatMap { $0 }.map { push.with($0) } ?? push
            let job: @Sendable () -> Void = { [self] in open(whole, for: number) }
            surroundings.runOnThread(device?.job(job) ?? job)
        }
        pending.withLock { $0[number]?.fetching = fetching }
    }

    func open(_ push: IncomingPush, for number: UInt64) {
        // Answered while it waited for a hung disk: to claim it now would hide it from the app.
        guard pending.withLock({ $0[number]?.machine.isOpening }) == true else { return }
        // On a slow disk, opening may outlast the answer and hold the window's lock at suspension.
        let activity = ExpiringActivity {}
        defer { activity.end() }
        let content = steps.open(push)
        record(content)
        let event = Machine.Event.opened(content, fetches: hasAttachments(content) || looksAtScreen(for: content))
        let actions = pending.withLock { $0.handle(event, for: number) }
        // Too late to be shown.
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
                run(for: number, on: place) { [steps, settings] in
                    steps.count(content.kind)
                    // Neither after a failure that may last, nor late.
                    if let waiting = settings.waiting, content.kind.keeping != .message {
                        steps.showWaiting(waiting, settings.keepsReceipts)
                    }
                    activity?.end()
                }
                pending.withLock { $0[number] = nil }
            }
        }
    }

    /// Ends a push's time when `alarm` returns; on machine time one timer serves all pushes instead.
    func end(_ number: UInt64, at alarm: @escaping @Sendable () async throws -> Void) -> PendingDelivery.Deadline {
        guard surroundings.isMachineTime else { return .task(task(at: alarm) { $0.handle(.timeOver, for: number) }) }
        return .alarm(AlarmClock.ofProcess.set(after: settings.timing.deadline) { self.handle(.timeOver, for: number) })
    }

    func task(
        at alarm: @escaping @Sendable () async throws -> Void,
        _ body: @escaping @Sendable (ExtensionCore) -> Void
    ) -> Task<Void, Never> {
        surroundings.task { [self] in
            // A failing clock must not cost the answer: only cancellation does.
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
        if let requestID = pending.withLock({ $0[number]?.push.requestID }) {
            settings.placeholder?.removePending(id: Self.placeholderID(requestID))
        }
        let job = reportSender?.prepare()
        // Before the handler: iOS may then suspend the process, and ends one that holds a lock.
        let activity = ExpiringActivity {}
        pending.withLock { $0[number]?.activity = activity }
        call(for: number, on: place) { [self] in
            handler?.call(content)
            reportSender?.start(job, releasing: content.receipt)
            deadline?.cancel()
            handle(.answered, for: number, on: place)
        }
    }

    /// Calls a handler: foreign code, which if it blocks holds up only its own push.
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

// Reports: on disk before anything is shown.
extension ExtensionCore {
    private func record(_ content: NotificationContent) {
        if content.outcome == .unknownKey || content.outcome == .staleKey { reportSender?.noteReport(holding: nil) }
        guard let receipts = receipts[content.account], let receipt = content.receipt else { return }
        reportSender?.noteReport(holding: receipt)
        // A lost receipt proves nothing.
        do throws(ContainerError) { try receipts.add(receipt, now: .now) } catch { return }
    }

    /// An unseen message gets its receipt when it comes again and is shown.
    private func withdraw(_ content: NotificationContent) {
        guard let receipts = receipts[content.account], let receipt = content.receipt else { return }
        // If a failing disk keeps it, the app sends it: the message was opened.
        do throws(ContainerError) { try receipts.remove([receipt]) } catch {}
        reportSender?.start(nil, releasing: receipt)
    }
}

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

    /// - Returns: true if in time.
    private func take(_ improved: NotificationContent, for number: UInt64) -> Bool {
        pending.withLock { pending in
            guard pending[number]?.machine.isFetching == true else { return false }
            // Kept for later; there are no actions.
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
    fileprivate var messageWithAttachments: OpenedMessage? {
        guard takesAttachments, case .opened(let opened) = outcome else { return nil }
        return opened
    }
}
