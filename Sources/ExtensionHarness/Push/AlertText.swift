internal import Localization
internal import UserNotifications

/// The three texts of an alert as iOS shows them: keys of the app's tables are looked up before the extension runs.
struct AlertText: Sendable, Equatable {
    var title = ""
    var subtitle = ""
    var body = ""
}

/// Looks keys up in the installed app's `<language>.lproj` folders.
struct AlertTranslation: Sendable {
    private let tables: LocalizedTables?

    /// - Parameters:
    ///   - appBundle: the app's folder; nil for an app without translations.
    ///   - languages: the person's, the preferred one first.
    init(appBundle: URL?, languages: [String]) {
        tables = appBundle.map { LocalizedTables(folder: $0.path, languages: languages) }
    }

    /// - Returns: the table's text with the arguments in it. A key that no table has stands for itself, as it does for
    ///   `NSLocalizedString`.
    func text(_ key: String, _ arguments: [String]) -> String {
        LocalizedFormat.string(tables?.string(key) ?? key, arguments)
    }
}
