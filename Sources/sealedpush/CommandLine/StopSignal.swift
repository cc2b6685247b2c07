import Dispatch
import Glibc

/// SIGINT and SIGTERM as a value to wait for, so that a long-running command ends in order.
final class StopSignal {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter stop: called on a thread of its own, at the first signal. A second one ends the process at once.
    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            // The source sees the signal only when the default action, death, is off.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                _ = signal(number, SIG_DFL)
                stop()
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
