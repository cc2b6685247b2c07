extension ShownNotification {
    /// Whether the extension answered with what it was given: the person reads what the relay and Apple could read, too.
    ///
    /// Of a sealed push that means that nothing was opened, and nobody noticed.
    public var keepsPlaceholder: Bool { !isOriginal && content == original }
}
