import CEvent
import Glibc
import Platform

/// The thread of an HTTP/1.1 server and libevent's part of it.
final class HTTP1ServerRun: Sendable {
    /// Written once, before the thread, and gone with it.
    @safe private struct State {
        var server: OpaquePointer?
        var waiters: [@Sendable () -> Void] = []
    }

    /// Nil: plain text.
    private let context: TLSContext?
    private let handle: @Sendable (HTTP1Request) -> HTTP1Response
    private let state = Locked(State())

    init(context: TLSContext?, handle: @escaping @Sendable (HTTP1Request) -> HTTP1Response) {
        self.context = context
        self.handle = handle
    }

    /// Enough for the handlers, which read and write files.
    private static let stackByteCount = 1 << 20

    func start(listener: Int32, _ limits: HTTP1Limits) throws(TransportError) {
        var cLimits = cevent_limits(
            header_byte_count_max: limits.headerByteCountMax,
            body_byte_count_max: limits.bodyByteCountMax,
            connection_count_max: limits.connectionCountMax,
            request_milliseconds: Self.milliseconds(limits.requestDeadline),
            answer_milliseconds: Self.milliseconds(limits.answerDeadline)
        )
        let server = unsafe cevent_server_new(
            listener,
            context.map { unsafe UnsafeMutableRawPointer($0.handle) },
            &cLimits,
            { request, run in
                guard let request = unsafe request, let run = unsafe run else { return }
                unsafe Unmanaged<HTTP1ServerRun>.fromOpaque(run).takeUnretainedValue().answer(HTTP1Exchange(request))
            },
            // The thread below holds it for as long as libevent may call.
            Unmanaged.passUnretained(self).toOpaque()
        )
        guard let server = unsafe server else { throw .system(call: "cevent_server_new", code: errno) }
        state.withLock { unsafe $0.server = server }
        let started = DetachedThread.start(stackByteCount: Self.stackByteCount) { [self] in serve() }
        guard started else {
            unsafe cevent_server_free(server)
            throw .system(call: "pthread_create", code: EAGAIN)
        }
    }

    private func serve() {
        guard let server = unsafe state.withLock({ unsafe $0.server }) else { return }
        unsafe cevent_server_run(server)
        let waiters = state.withLock { state in
            unsafe state.server = nil
            return state.waiters
        }
        unsafe cevent_server_free(server)
        for waiter in waiters { waiter() }
    }

    /// - Parameter completion: called when nothing is left of the server; at once if that is so.
    func stop(_ completion: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            guard let server = unsafe state.server else { return true }
            state.waiters.append(completion)
            unsafe cevent_server_stop(server)
            return false
        }
        if isStopped { completion() }
    }

    private func answer(_ exchange: consuming HTTP1Exchange) {
        switch exchange.request() {
        case .success(let request):
            exchange.answer(handle(request), isHead: request.method == "HEAD")
        case .failure(let refusal):
            var response = HTTP1Response(status: refusal.status)
            response.closes = true
            exchange.answer(response, isHead: false)
        }
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.components
        return UInt32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
