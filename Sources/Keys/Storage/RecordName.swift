/// Name of a record in a `SecretStore`. Made only here, so that no name leaves the store's folder.
package struct RecordName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    private init(unchecked text: String) { description = text }

    /// Identity's seed, only in the app's own store.
    package static let identity = RecordName(unchecked: "identity")
    /// The only public record: prekeys and their dates.
    package static let ring = RecordName(unchecked: "ring")

    /// Sender's seed, in a store of its own, never a device's.
    package static let sender = RecordName(unchecked: "sender")

    package static func prekey(_ id: PrekeyID) -> RecordName { RecordName(unchecked: prekeyPrefix + id.hex) }

    /// Nil for other records.
    package var prekeyID: PrekeyID? {
        guard description.hasPrefix(Self.prekeyPrefix) else { return nil }
        return PrekeyID(hex: description.utf8.dropFirst(Self.prekeyPrefix.utf8.count))
    }

    /// Name found in a device's store; nil for any other.
    package init?(_ text: String) {
        let name = RecordName(unchecked: text)
        guard name == .identity || name == .ring || name.prekeyID != nil else { return nil }
        self = name
    }

    private static let prekeyPrefix = "prekey-"
}
