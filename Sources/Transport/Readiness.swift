/// What a file descriptor may be ready for. Errors and hang-ups count as both: the next call tells.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// The connection is broken or over in both directions; comes whether it was asked for or not.
    package static let over = Readiness(rawValue: 4)
}

/// Owner of a watched file descriptor. Both calls come on the loop.
package protocol ReadinessHandler: AnyObject {
    func handleReadiness(_ readiness: Readiness)
    /// The loop ends. Close the descriptor and settle everyone who waits; nothing else will come.
    func handleLoopStop()
}
