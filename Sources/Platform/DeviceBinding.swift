/// Current code's device, to be carried to another thread: a task inherits its binding, a thread does not.
package struct DeviceBinding: Sendable {
    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    private let device: SimulatedDevice?
    #endif

    package init() {
        #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
        device = SimulatedDevice.current
        #endif
    }

    /// True on a simulated device.
    package var isSimulated: Bool {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        false
        #else
        device != nil
        #endif
    }

    /// Wraps work on that device for a thread. It counts as begun at once: otherwise the simulated clock would take an
    /// extension that waits for a thread for one that waits for time.
    ///
    /// - Returns: to be called once.
    package func job(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        return body
        #else
        return device?.job(body) ?? body
        #endif
    }

    package func run(_ body: () -> Void) {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        body()
        #else
        guard let device else { return body() }
        device.run(body)
        #endif
    }
}
