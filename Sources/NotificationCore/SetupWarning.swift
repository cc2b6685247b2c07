import Opening

/// What an app has not set up yet: every call succeeds, and still no message is shown as its sender wrote it. Without a
/// key, a name or contents.
public enum SetupWarning: Equatable, Sendable, CaseIterable {
    /// The contact list is empty: every sender is a stranger.
    case noContacts
}

extension SetupWarning: CustomStringConvertible {
    /// A sentence for a log: what is seen, and what to do.
    public var description: String {
        switch self {
        case .noContacts:
            "no contact is set, so every message is shown as the app's placeholder;"
                + " call AppDevice.setContacts with your senders' public keys"
        }
    }
}

extension AppDevice {
    /// What is still missing before a message can be shown. Worth a line in the app's log at each launch.
    ///
    /// - Returns: empty when nothing is missing.
    /// - Throws: `.contactsDamaged`, `.locked`, `.system`.
    public func setupWarnings() throws(AppDeviceError) -> [SetupWarning] {
        try contacts().count == 0 ? [.noContacts] : []
    }
}

extension SharedContainer {
    /// The same for a push that was just opened. The list is read again only where its sender is a stranger.
    func setupWarning(of content: NotificationContent) -> SetupWarning? {
        guard case .unverifiedSender = content.outcome else { return nil }
        // A list that cannot be read is another outcome's.
        guard let contacts = try? ContactDirectory(file: contactsPath), contacts.isEmpty else { return nil }
        return .noContacts
    }
}
