extension Device {
    /// Creates a device that runs the extension in its own process, of an executable that calls `ExtensionHost.run`.
    ///
    /// Crashes, hangs and excess memory then end that process only, as on iOS. Time is real, unless `timekeeping` asks
    /// for a scale.
    public convenience init(process program: ExtensionProgram, _ conditions: Conditions = Conditions()) {
        self.init(conditions, clock: SimulatedClock(), host: ProcessHost(program))
    }
}
