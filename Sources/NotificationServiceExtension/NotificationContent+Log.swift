import NotificationCore
import os

// What an app's developer should see in the log. An app copies this file as it is.
extension NotificationContent {
    /// Once in a process: the sentence is the same for every push. It holds nothing of a message, its sender or a key.
    func logSetupWarning() {
        if setupWarning == .noContacts { _ = Self.noContactsLogged }
    }

    private static let noContactsLogged: Void = Logger(subsystem: "SealedPush", category: "setup")
        .error("\(SetupWarning.noContacts.description, privacy: .public)")
}
