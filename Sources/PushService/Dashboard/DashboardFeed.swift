import HTTP
import Networking
import PushStore

/// Statistics as server-sent events: the first at once, later ones after a change, looked for every two seconds while a
/// page is open.
///
/// - Source: WHATWG HTML, section 9.2, "Server-sent events".
final class DashboardFeed: Sendable {
    private struct Page {
        let stream: HTTPBodyStream
        let session: DashboardSessions.ID
        /// Nil: the whole service.
        let tenant: TenantID?
        var isNew = true
    }

    private final class State {
        var pages: [Int: Page] = [:]
        var lastNumber = 0
        var sent: [TenantID?: [UInt8]] = [:]
        var tickCount = 0
        var timer: LoopTimer?
        var isRunning = false
        var isStopped = false
    }

    static let pageCountMax = 64
    private static let period = Duration.seconds(2)
    /// Periods between signs of life, for a page that hears nothing else.
    private static let quietTickCount = 8

    private let loop: EventLoop
    private let api: any DashboardInterface
    private let state: LoopBound<State>

    init(_ loop: EventLoop, _ api: any DashboardInterface) {
        self.loop = loop
        self.api = api
        state = LoopBound(State(), to: loop)
    }

    // MARK: On the loop

    /// - Parameter isOpen: false ends the session's streams.
    func open(
        _ session: DashboardSessions.ID,
        of tenant: TenantID?,
        isOpen: @escaping (DashboardSessions.ID) -> Bool
    ) -> HTTPAnswer? {
        let state = state.value
        guard !state.isStopped, state.pages.count < Self.pageCountMax else { return nil }
        state.lastNumber += 1
        let number = state.lastNumber
        let stream = HTTPBodyStream { [weak self, loop] in
            loop.perform { [weak self] in self?.forget(number) }
        }
        state.pages[number] = Page(stream: stream, session: session, tenant: tenant)
        stream.write(Array("retry: 2000\n\n".utf8))
        state.timer?.cancel()
        run(isOpen)
        return HTTPAnswer(
            status: 200,
            fields: [
                .init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"),
                .init("X-Content-Type-Options", "nosniff"), .init("Cross-Origin-Resource-Policy", "same-origin"),
            ],
            body: .stream(stream)
        )
    }

    /// Ends all streams, for good.
    func close() {
        let state = state.value
        state.isStopped = true
        state.timer?.cancel()
        for page in state.pages.values { Self.end(page, "stopping") }
    }

    var pageCount: Int { state.value.pages.count }

    private func forget(_ number: Int) { state.value.pages[number] = nil }

    private func run(_ isOpen: @escaping (DashboardSessions.ID) -> Bool) {
        let state = state.value
        // The run under way finds a new page at its end.
        guard !state.isRunning, !state.isStopped, !state.pages.isEmpty else { return }
        state.isRunning = true
        let isOpen = LoopBound(isOpen, to: loop)
        // Ends with the store's answers; the next follows this one.
        Task(executorPreference: loop) { [self] in
            await tick(isOpen.value)
            let state = self.state.value
            state.isRunning = false
            if state.pages.values.contains(where: \.isNew) { return run(isOpen.value) }
            state.timer = loop.schedule(after: Self.period) { [weak self] in self?.run(isOpen.value) }
        }
    }

    private func tick(_ isOpen: (DashboardSessions.ID) -> Bool) async {
        let state = state.value
        for (number, page) in state.pages where !isOpen(page.session) {
            Self.end(page, "ended")
            state.pages[number] = nil
        }
        state.tickCount += 1
        let isQuiet = state.tickCount % Self.quietTickCount == 0
        for tenant in Set(state.pages.values.map(\.tenant)) {
            let numbers = state.pages.filter { $0.value.tenant == tenant }.map(\.key)
            let bytes: [UInt8]
            let name: String
            do throws(Problem) {
                (bytes, name) = (try await api.statistics(of: tenant), "statistics")
            } catch {
                (bytes, name) = (error.json, "problem")
            }
            let isChanged = state.sent[tenant] != bytes
            state.sent[tenant] = bytes
            for number in numbers {
                guard let page = state.pages[number] else { continue }
                state.pages[number]?.isNew = false
                if isChanged || page.isNew {
                    page.stream.write(Array("event: \(name)\ndata: ".utf8) + bytes + Array("\n\n".utf8))
                } else if isQuiet {
                    page.stream.write(Array("event: alive\ndata: {}\n\n".utf8))
                }
            }
        }
        let open = Set(state.pages.values.map(\.tenant))
        state.sent = state.sent.filter { open.contains($0.key) }
    }

    private static func end(_ page: Page, _ name: String) {
        page.stream.write(Array("event: \(name)\ndata: {}\n\n".utf8))
        page.stream.finish()
    }
}
