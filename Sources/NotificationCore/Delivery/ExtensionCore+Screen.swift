import Platform

// For a repeated push, the delivered notification stays.
extension ExtensionCore {
    /// Longest delay by the query: it is silent, so no person waits.
    static let screenSlice = Duration.seconds(1)
    /// Interval of queries: the first of two concurrent pushes may not be delivered yet.
    private static let lookInterval = Duration.milliseconds(100)

    func looksAtScreen(for content: NotificationContent) -> Bool { settings.screen != nil && content.mayBeListed }

    /// Queries until found or cancelled.
    func findListed(for content: NotificationContent, deliver: (NotificationContent) -> Void) async {
        guard let screen = settings.screen, let requestID = content.requestID else { return }
        while !Task.isCancelled {
            if let listed = await screen.notification(requestID: requestID), let key = listed.requestKey,
                await surroundings.resultFromThread(of: { [steps] in steps.isShown(key, requestID) })
            {
                var kept = content
                kept.kept = listed
                return deliver(kept)
            }
            do { try await surroundings.alarm(after: Self.lookInterval)() } catch { return }
        }
    }
}
