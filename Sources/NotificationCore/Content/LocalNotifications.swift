/// Notifications that the extension adds beside its answer.
public protocol LocalNotifications: Sendable {
    /// Adds one, which replaces another of its identifier. Must not block.
    ///
    /// - Parameters:
    ///   - content: what is shown; if suppressed nothing, but what it replaces is removed.
    ///   - id: identifier of the request.
    ///   - delay: time until it is shown; nil for at once.
    func add(_ content: NotificationContent, id: String, after delay: Duration?)

    /// Removes one that is not shown yet. Must not block.
    func removePending(id: String)
}
