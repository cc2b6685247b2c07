/// The life of one VoIP push, as iOS judges it. Events in, the end out; no clock, no queue.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate/pushregistry(_:didreceiveincomingpushwith:for:completion:);
///   that the judgement comes as soon as the method has returned, and once more about 7 s after the push, is what an engineer
///   of Apple's says in https://developer.apple.com/forums/thread/817976.
struct VoIPRun {
    enum Event {
        case notRegistered, reported, returned, completed, timeOver
    }

    private(set) var isCompleted = false
    private(set) var end: VoIPDelivery.Why?
    private var isReported = false
    private var hasReturned = false

    /// - Returns: whether the run has ended with this event.
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
        // What reports in time may still wait for CallKit's word before it says that it is done.
        if hasReturned, isReported, isCompleted { end = .reported }
        return end != nil
    }
}
