import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP as a call, so that a long-running command ends in order.
final class StopSignal {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter stop: called on a thread of its own, at the first signal. A second Ctrl-C ends the process at once.
    init(_ stop: @escaping @Sendable () -> Void) {
        // Whoever runs this under nohup wants it to outlive the terminal.
        let numbers = Self.isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        sources = numbers.map { number in
            // The source sees the signal only when the default action, death, is off.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Only a person is impatient: the system repeats SIGTERM, once for each thread of a parent that dies, and
                // SIGHUP, once from the shell and once from the terminal.
                if number == SIGINT { _ = signal(number, SIG_DFL) }
                stop()
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let ignore = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignore
    }
}

extension StopSignal {
    /// Runs `body` until it ends. A signal cancels it, also one that comes before it has begun.
    static func cancels(
        _ body: @escaping @Sendable () async -> Result<Void, CommandFailure>
    ) async throws(CommandFailure) {
        let (signals, continuation) = AsyncStream.makeStream(of: Never.self)
        let stop = StopSignal { continuation.finish() }
        defer { withExtendedLifetime(stop) {} }
        let result = await withTaskGroup(of: Result<Void, CommandFailure>?.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in signals {}
                return nil
            }
            // Whichever ends first ends the other.
            let first = await group.next() ?? nil
            group.cancelAll()
            let second = await group.next() ?? nil
            return first ?? second
        }
        try result?.get()
    }
}
