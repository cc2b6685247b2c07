/// The device that code runs on, for code that goes on elsewhere: a task hands on what it is bound to, a thread does not.
package struct DeviceBinding: Sendable {
    #if !canImport(Darwin)
    private let device: SimulatedDevice?
    #endif

    /// Of the code that runs now.
    package init() {
        #if !canImport(Darwin)
        device = SimulatedDevice.current
        #endif
    }

    /// Whether that is another one than the machine.
    package var isSimulated: Bool {
        #if canImport(Darwin)
        false
        #else
        device != nil
        #endif
    }

    /// Work for that device that a thread will do once it has its turn. It has begun already: whoever makes time pass
    /// would else take an extension that waits for a thread for one that waits for time.
    ///
    /// - Parameter body: What is to be done.
    /// - Returns: What the thread has to call, once.
    package func job(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        #if canImport(Darwin)
        return body
        #else
        return device?.job(body) ?? body
        #endif
    }

    /// Runs `body` on that device.
    package func run(_ body: () -> Void) {
        #if canImport(Darwin)
        body()
        #else
        guard let device else { return body() }
        device.run(body)
        #endif
    }
}
