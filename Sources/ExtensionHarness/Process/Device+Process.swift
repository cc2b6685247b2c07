extension Device {
    /// A device that runs the extension in a process of its own.
    ///
    /// A crash, a call that never returns and too much memory are then the extension's own trouble, as on iOS. Time is
    /// real, unless `timekeeping` asks for a scale.
    ///
    /// - Parameters:
    ///   - program: The executable that calls `ExtensionHost.run`.
    ///   - conditions: What the device is like at first.
    public convenience init(process program: ExtensionProgram, _ conditions: Conditions = Conditions()) {
        self.init(conditions, clock: SimulatedClock(), host: ProcessHost(program))
    }
}
