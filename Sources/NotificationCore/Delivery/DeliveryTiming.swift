/// How an extension's time is divided. iOS gives about 30 seconds, and does not promise them.
public struct DeliveryTiming: Hashable, Sendable {
    /// From a push's arrival to the answer, at the latest: what is left of iOS's time is for handing over.
    public let deadline: Duration
    /// What attachments may delay a text by, from its opening on. A text without attachments is not delayed.
    public let attachmentSlice: Duration

    /// - Parameters:
    ///   - deadline: more than zero, at most 29 seconds.
    ///   - attachmentSlice: zero or more; the deadline ends it too.
    public init(deadline: Duration = .seconds(25), attachmentSlice: Duration = .seconds(8)) {
        precondition(deadline > .zero && deadline <= .seconds(29) && attachmentSlice >= .zero)
        self.deadline = deadline
        self.attachmentSlice = attachmentSlice
    }
}
