import Glibc

/// What is wrong with an extension. Each is something that a shipping extension did, or that somebody who wants to harm
/// the harness would do.
enum Fault: String, CaseIterable {
    /// Nothing.
    case none

    // What it does with its content handler.
    case handlerTwice, handlerTwiceFromTwoThreads, handlerNever, handlerTooLate
    // What it answers.
    case placeholderKept, emptyContent, invalidAttachment
    // What it does with its process.
    case blocksForever, blocksAfterAnswering, memoryBurst, memoryLeak, trap, badAddress, exit
    // What it leaves behind.
    case flockHeld, recordLockHeld, filesLeft
    // What it does to its host.
    case garbageReported, lineWithoutEnd, strangeNumbersReported, channelClosed

    /// The one that the program's only argument names.
    static var chosen: Fault {
        guard let fault = Fault(rawValue: CommandLine.arguments.dropFirst().first ?? "") else {
            preconditionFailure("one of \(allCases.map(\.rawValue))")
        }
        return fault
    }
}
