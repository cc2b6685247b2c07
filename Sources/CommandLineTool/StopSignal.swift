import CLinux
import Glibc
import Platform

/// SIGINT, SIGTERM and SIGHUP as a descriptor or a call, to end a long command in order. One for a process; a second
/// Ctrl-C ends it at once.
///
/// Dispatch's signal source registers on another thread, and loses earlier signals.
package struct StopSignal: Sendable {
    /// Readable from the first signal on. Never closed: a signal may come while the process ends.
    package let descriptor: Int32

    package init() throws(CommandError) {
        descriptor = clinux_eventfd()
        guard descriptor >= 0, clinux_stop_signals(descriptor) == 0 else {
            throw .failed("signals cannot be handled: \(Output.systemText(errno))")
        }
    }

    /// Calls `stop` on its own thread, at the first signal.
    package init(_ stop: @escaping @Sendable () -> Void) throws(CommandError) {
        try self.init()
        let descriptor = descriptor
        let hasStarted = DetachedThread.start(stackByteCount: 256 << 10) {
            var signal = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while unsafe poll(&signal, 1, -1) < 0, errno == EINTR {}
            stop()
        }
        guard hasStarted else { throw .failed("signals cannot be handled: no thread could be started") }
    }
}

extension StopSignal {
    /// Runs `body`; a signal cancels it, even one before it.
    package static func cancels(
        _ body: @escaping @Sendable () async -> Result<Void, CommandError>
    ) async throws(CommandError) {
        try await cancelsWaiting { _ in await body() }
    }

    /// Form for a body that waits for child processes.
    package static func cancelsWaiting(
        _ body: @escaping @Sendable (StopSignal) async -> Result<Void, CommandError>
    ) async throws(CommandError) {
        let (signals, continuation) = AsyncStream.makeStream(of: Never.self)
        let stop = try StopSignal { continuation.finish() }
        let result = await withTaskGroup(of: Result<Void, CommandError>?.self) { group in
            group.addTask { await body(stop) }
            group.addTask {
                for await _ in signals {}
                return nil
            }
            // The first to end ends the other.
            let first = await group.next() ?? nil
            group.cancelAll()
            let second = await group.next() ?? nil
            return first ?? second
        }
        try result?.get()
    }
}
