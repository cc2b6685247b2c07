import Envelope
package import Primitives
import ServiceParts

/// Rule by which an app's devices enrol without its publisher's back end in the path.
package struct EnrolmentRule: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// With a ticket of the back end, under one of these keys.
        case ticket([Ed25519PublicKey])
        /// With App Attest.
        case appAttest(teamID: String, rootFile: String)
        /// With nothing.
        case open
    }

    package let kind: Kind
    /// Enrolled devices that the app may have.
    package let deviceCountMax: Int
    /// Of new devices and new registrations.
    package let perMinute: Int

    private enum Word: String, CaseIterable {
        case ticket
        case appAttest = "app-attest"
        case open
    }

    static let names = ["by", "public-keys", "team-id", "root-file", "devices", "per-minute"]

    init?(_ reader: ObjectReader) {
        let word: Word? = reader.choice("by", isRequired: true)
        deviceCountMax = Int(reader.integer("devices", in: 1...100_000_000) ?? 100_000)
        perMinute = Int(reader.integer("per-minute", in: 1...1_000_000) ?? 600)
        let own: [Word: [String]] = [.ticket: ["public-keys"], .appAttest: ["team-id", "root-file"], .open: []]
        for (other, names) in own where word != nil && other != word {
            for name in names {
                guard let value = reader.object[name] else { continue }
                reader.faults.add(
                    .wrong,
                    reader.place(name),
                    at: value.offset,
                    "belongs to \"\(other.rawValue)\"; leave it out"
                )
            }
        }
        switch word {
        case .ticket:
            guard let keys = Self.keys(reader) else { return nil }
            kind = .ticket(keys)
        case .appAttest:
            let ten = "10 letters and digits, as Apple shows them"
            let team = reader.text("team-id", 10...10, ten, isRequired: true) { text in
                text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            }
            let file = reader.file("root-file", isRequired: true)
            guard let team, let file else { return nil }
            kind = .appAttest(teamID: team, rootFile: file)
        case .open: kind = .open
        case nil: return nil
        }
    }

    private static func keys(_ reader: ObjectReader) -> [Ed25519PublicKey]? {
        let elements = reader.elements("public-keys", 1...4, of: "public keys", isRequired: true)
        return elements?.compactMap { element in
            let bytes = element.value.string.flatMap { Base64URL.decode(Array($0.utf8)) }
            if let key = bytes.flatMap({ try? Ed25519PublicKey(rawRepresentation: $0) }) { return key }
            let expected =
                "expected an Ed25519 public key, 43 characters of base64url, the last of the line in sender.pub"
            reader.faults.add(.wrong, element.path, at: element.value.offset, expected)
            return nil
        }
    }
}
