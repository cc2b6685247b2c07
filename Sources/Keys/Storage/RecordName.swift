/// The name of one record in a `SecretStore`. Made here and nowhere else, so that no name can leave a store's folder.
package struct RecordName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    private init(unchecked text: String) { description = text }

    /// The identity's seed. Only in the app's own store.
    package static let identity = RecordName(unchecked: "identity")
    /// The one public record: which prekeys there are, and for how long.
    package static let ring = RecordName(unchecked: "ring")

    /// A sender's seed. In a store of its own: no device's ring has one.
    package static let sender = RecordName(unchecked: "sender")

    /// One prekey's secret.
    package static func prekey(_ id: PrekeyID) -> RecordName { RecordName(unchecked: prekeyPrefix + id.hex) }

    /// Whose secret this is; nil for the other records.
    package var prekeyID: PrekeyID? {
        guard description.hasPrefix(Self.prekeyPrefix) else { return nil }
        return PrekeyID(hex: description.utf8.dropFirst(Self.prekeyPrefix.utf8.count))
    }

    /// A name that a store found among its records.
    ///
    /// - Returns: nil for what this package does not write.
    package init?(_ text: String) {
        let name = RecordName(unchecked: text)
        guard name == .identity || name == .ring || name.prekeyID != nil else { return nil }
        self = name
    }

    private static let prekeyPrefix = "prekey-"
}
