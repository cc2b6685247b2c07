/// Readiness of a descriptor. Errors and hang-ups count as both: the next call reports them.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// Broken or over in both directions; reported unasked, too.
    package static let over = Readiness(rawValue: 4)
}

/// Owner of a watched descriptor. Called on the loop.
package protocol ReadinessHandler: AnyObject {
    func handleReadiness(_ readiness: Readiness)
    /// The loop ends. Close the descriptor and complete all waits; no other call follows.
    func handleLoopStop()
}
