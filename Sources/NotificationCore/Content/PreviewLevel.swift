import Keys
import Platform

/// Part of a message that its notification shows, chosen by the person. Sender, relay and Apple do not learn it.
public enum PreviewLevel: String, Hashable, Sendable, CaseIterable {
    /// All; the default.
    case nameAndText
    /// Sender and group, with the app's text in place of the message's.
    case nameOnly
    /// The app's title and text.
    case nothing
}

/// Preview level, written by the app. The file holds its word.
struct PreviewFile: Sendable {
    private static let byteCountMax = 16

    let path: String

    /// Missing: the default. Damaged or unreadable: nothing, which reveals the least.
    var level: PreviewLevel {
        do throws(FileError) {
            let bytes = try WholeFile.read(path, byteCountMax: Self.byteCountMax)
            return PreviewLevel(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .nothing
        } catch {
            if case .notFound = error { return .nameAndText }
            return .nothing
        }
    }

    func set(_ level: PreviewLevel) throws(FileError) {
        try WholeFile.write(Array(level.rawValue.utf8), to: path, access: .protected(.untilFirstUnlock))
    }
}
