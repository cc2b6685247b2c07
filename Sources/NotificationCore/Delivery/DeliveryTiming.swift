/// Division of an extension's time: iOS gives about 30 seconds, without promise.
public struct DeliveryTiming: Hashable, Sendable {
    /// Latest answer after arrival; the rest is for handing over.
    public let deadline: Duration
    /// Longest delay for attachments after opening. Other texts are not delayed.
    public let attachmentSlice: Duration

    /// - Parameters:
    ///   - deadline: more than zero, at most 29 seconds.
    ///   - attachmentSlice: zero or more; also ends at the deadline.
    public init(deadline: Duration = .seconds(25), attachmentSlice: Duration = .seconds(8)) {
        precondition(deadline > .zero && deadline <= .seconds(29) && attachmentSlice >= .zero)
        self.deadline = deadline
        self.attachmentSlice = attachmentSlice
    }
}
