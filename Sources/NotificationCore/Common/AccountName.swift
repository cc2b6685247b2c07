/// Name of one of several accounts of an app on this device, never sent anywhere.
public struct AccountName: Hashable, Sendable {
    /// 1 to 32 characters of a-z, 0-9 and "-": a folder's name.
    public let text: String

    /// - Returns: nil for another text.
    public init?(_ text: String) {
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-".utf8
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(allowed.contains) else { return nil }
        self.text = text
    }
}
