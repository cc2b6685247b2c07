/// One VoIP push under iOS's rules. Events in, the end out; no clock, no queue.
///
/// - Source:
///   https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate/pushregistry(_:didreceiveincomingpushwith:for:completion:).
///   iOS checks when the method returns, and again about 7 s after the push: an Apple engineer in
///   https://developer.apple.com/forums/thread/817976.
struct VoIPRun {
    enum Event {
        case notRegistered, reported, returned, completed, timeOver
    }

    private(set) var isCompleted = false
    private(set) var end: VoIPDelivery.Why?
    private var isReported = false
    private var hasReturned = false

    /// - Returns: True if this event has ended the run.
    mutating func handle(_ event: Event) -> Bool {
        guard end == nil else { return false }
        switch event {
        case .notRegistered: end = .notRegistered
        case .reported: isReported = true
        case .completed: isCompleted = true
        case .returned: hasReturned = true
        case .timeOver: end = isReported ? .reported : .terminated(.tookTooLong)
        }
        if hasReturned, !isReported { end = .terminated(.returnedWithoutReport) }
        // Reported in time, it may still wait for CallKit.
        if hasReturned, isReported, isCompleted { end = .reported }
        return end != nil
    }
}
