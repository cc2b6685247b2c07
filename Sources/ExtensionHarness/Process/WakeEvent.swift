internal import CLinux
internal import Platform

/// Wakes a thread that waits for descriptors.
final class WakeEvent: Sendable {
    /// Readable after a signal. -1 if the system has no more descriptors; nothing else works then either.
    let descriptor = clinux_eventfd()

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() { _ = clinux_eventfd_signal(descriptor) }

    func clear() { _ = clinux_eventfd_clear(descriptor) }
}
