import CLinux
import Glibc

/// A stop signal as a descriptor that becomes readable, for a thread that waits for descriptors.
final class Interruption {
    let descriptor: Int32
    private let signal: StopSignal

    init() throws(CommandFailure) {
        let descriptor = clinux_eventfd()
        guard descriptor >= 0 else { throw .failed("no eventfd: \(Output.systemText(errno))") }
        self.descriptor = descriptor
        // It fails only when the counter is full, and then the descriptor is readable already. It is never closed: the
        // signal may come while this process ends.
        signal = StopSignal { _ = clinux_eventfd_signal(descriptor) }
    }
}
