import Glibc

/// An extension's fault. Each occurred in a shipping extension, or would serve to harm the harness.
enum Fault: String, CaseIterable {
    /// No fault.
    case none

    // Faults of the content handler's use.
    case handlerTwice, handlerTwiceFromTwoThreads, handlerNever, handlerTooLate
    // Faults of the answer.
    case placeholderKept, emptyContent, invalidAttachment
    // Faults of the process.
    case blocksForever, blocksAfterAnswering, memoryBurst, memoryLeak, trap, badAddress, exit
    // A local notification, queued before the work that ends the process.
    case noteQueuedThenMemoryBurst
    // Leftovers.
    case flockHeld, recordLockHeld, filesLeft
    // Attacks on its host.
    case garbageReported, lineWithoutEnd, strangeNumbersReported, channelClosed

    /// The fault that the program's only argument names.
    static var chosen: Fault {
        guard let fault = Fault(rawValue: CommandLine.arguments.dropFirst().first ?? "") else {
            preconditionFailure("one of \(allCases.map(\.rawValue))")
        }
        return fault
    }
}
