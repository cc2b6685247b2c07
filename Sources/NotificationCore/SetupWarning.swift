import Opening

/// Missing setup: calls succeed, but no message is shown with its own text. No key, name or contents.
public enum SetupWarning: Equatable, Sendable, CaseIterable {
    /// Empty contact list: every sender is unknown.
    case noContacts
}

extension SetupWarning: CustomStringConvertible {
    /// Symptom and remedy, for logs.
    public var description: String {
        switch self {
        case .noContacts:
            "no contact is set, so every message is shown as the app's placeholder;"
                + " call AppDevice.setContacts with your senders' public keys"
        }
    }
}

extension AppDevice {
    /// Missing setup, for the app's log at each launch.
    ///
    /// - Throws: `.contactsDamaged`, `.locked`, `.system`.
    public func setupWarnings() throws(AppDeviceError) -> [SetupWarning] {
        try contacts().count == 0 ? [.noContacts] : []
    }
}

extension SharedContainer {
    /// Warning for an opened push. Reads the list again only for an unknown sender.
    func setupWarning(of content: NotificationContent) -> SetupWarning? {
        guard case .unverifiedSender = content.outcome else { return nil }
        // An unreadable list has an outcome of its own.
        guard let contacts = try? ContactDirectory(file: contactsPath), contacts.isEmpty else { return nil }
        return .noContacts
    }
}
