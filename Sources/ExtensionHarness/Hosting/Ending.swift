/// Ending of an extension's run.
public enum Ending: Sendable, Equatable {
    /// Answered once.
    case returned
    /// Ended by the system without an answer.
    case timedOut
    /// The extension called its handler again, for which iOS ends the process. The first answer stands.
    case terminatedForSecondAnswer
    /// Beyond its memory limit, for which iOS ends a process without a report.
    case killedForMemory(peakByteCount: Int)
    /// The process had answered and still held a lock on a shared file at suspension: iOS's `0xdead10cc`.
    case killedHoldingLock
    /// A signal ended the process: 4 or 5 is a trap, 6 an abort, 11 a bad address.
    case crashed(signal: Int32)
    /// Exited by itself.
    case exited(status: Int32)
    /// The process did not start, or broke the protocol between harness and host.
    case hostFailed

    /// True where iOS would have ended the process by force.
    public var isTermination: Bool {
        switch self {
        case .returned, .exited, .hostFailed: false
        case .timedOut, .terminatedForSecondAnswer, .killedForMemory, .killedHoldingLock, .crashed: true
        }
    }
}

/// Time in which the extension's limits were measured.
public enum TimeUsed: Sendable, Equatable {
    /// No time had passed on the device's clock.
    case none
    /// Device's own time, in which waits on its clock are skipped.
    case virtual
    /// Real time, scaled: seconds on the device for each real one.
    case scaled(by: Double)
    /// Real time.
    case real
}

/// Enforcement of the extension's memory limit.
public enum MemoryEnforcement: Sendable, Equatable {
    /// None: in the test's own process, or in a program with a sanitizer, whose memory is many times the extension's.
    case none
    /// By a kernel control group, exact to the byte.
    case controlGroup
    /// By polling at this interval: short bursts pass.
    case polled(every: Duration)
}
