/// How an extension's run ended.
public enum Ending: Sendable, Equatable {
    /// It answered, once.
    case returned
    /// It never answered, and the system ended it.
    case timedOut
    /// It called its content handler again, for which iOS ends the process. The first answer stands.
    case terminatedForSecondAnswer
    /// It took more memory than it may, for which iOS ends the process without a word.
    case killedForMemory(peakByteCount: Int)
    /// It answered, and still held a lock on a shared file when it was to be suspended: iOS's `0xdead10cc`.
    case killedHoldingLock
    /// A signal ended the process: 4 or 5 is a trap, 6 an abort, 11 a bad address.
    case crashed(signal: Int32)
    /// The process left by itself.
    case exited(status: Int32)
    /// The process could not be started, or did not keep to what the harness and its host agreed on.
    case hostFailed

    /// Whether iOS would have ended the process by force.
    public var isTermination: Bool {
        switch self {
        case .returned, .exited, .hostFailed: false
        case .timedOut, .terminatedForSecondAnswer, .killedForMemory, .killedHoldingLock, .crashed: true
        }
    }
}

/// Which time the extension's limits were measured in.
public enum TimeUsed: Sendable, Equatable {
    /// None had passed on the device's clock when the extension answered.
    case none
    /// The device's own, which went on at once whenever the extension waited on it.
    case virtual
    /// The machine's: for each real second this many passed on the device.
    case scaled(by: Double)
    /// The machine's.
    case real
}

/// How the extension's memory was limited.
public enum MemoryEnforcement: Sendable, Equatable {
    /// Not at all: the extension ran in the test's own process, or in a program built with a sanitizer, whose own memory
    /// is many times the extension's.
    case none
    /// By a control group of the kernel's: no byte more.
    case controlGroup
    /// By looking this often: a burst between two looks passes.
    case polled(every: Duration)
}
