import Platform

// A push that came again: what the screen shows under its identifier stays there.
extension ExtensionCore {
    /// What looking may delay the answer by: it is in silence, and nobody waits for it.
    static let screenSlice = Duration.seconds(1)
    /// Of two pushes at once, the first may still be on its way to the screen.
    private static let lookInterval = Duration.milliseconds(100)

    func looksAtScreen(for content: NotificationContent) -> Bool { settings.screen != nil && content.mayBeListed }

    /// Until it is found, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - content: what there is to show otherwise.
    ///   - deliver: takes the same with what is listed.
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
