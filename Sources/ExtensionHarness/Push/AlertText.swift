internal import Localization
internal import UserNotifications

/// Three texts of an alert as iOS shows them, translated before the extension runs.
struct AlertText: Sendable, Equatable {
    var title = ""
    var subtitle = ""
    var body = ""
}

struct AlertTranslation: Sendable {
    private let tables: LocalizedTables?

    /// - Parameter languages: of the person, the preferred one first.
    init(appBundle: URL?, languages: [String]) {
        tables = appBundle.map { LocalizedTables(folder: $0.path, languages: languages) }
    }

    /// - Returns: table's text with its arguments; for a key without an entry the key, as `NSLocalizedString`.
    func text(_ key: String, _ arguments: [String]) -> String {
        LocalizedFormat.string(tables?.string(key) ?? key, arguments)
    }
}
