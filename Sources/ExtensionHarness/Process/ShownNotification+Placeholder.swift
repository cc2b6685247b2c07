extension ShownNotification {
    /// True if the extension answered with the original content, which relay and Apple could read too.
    ///
    /// For a sealed push that means that nothing was opened, unnoticed.
    public var keepsPlaceholder: Bool { !isOriginal && why != .posted && content == original }
}
