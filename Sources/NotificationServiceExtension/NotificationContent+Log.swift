import NotificationCore
import os

// Log for app developers. Apps copy this file as it is.
extension NotificationContent {
    /// Logs once per process; nothing of a message, sender or key.
    func logSetupWarning() {
        if setupWarning == .noContacts { _ = Self.noContactsLogged }
    }

    private static let noContactsLogged: Void = Logger(subsystem: "SealedPush", category: "setup")
        .error("\(SetupWarning.noContacts.description, privacy: .public)")
}
