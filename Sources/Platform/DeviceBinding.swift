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
