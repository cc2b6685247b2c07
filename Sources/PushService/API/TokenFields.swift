import APNS
import Envelope
import PushStore
import ServiceParts

enum TokenFields {
    static let nameForm = "1 to 64 printable ASCII characters without spaces"

    static func tokens(_ reader: ObjectReader) -> [ExtraToken] {
        var tokens: [ExtraToken] = []
        for element in reader.elements("tokens", ExtraToken.counts, of: "tokens") ?? [] {
            let names = ["kind", "name", "token"]
            guard let own = ObjectReader(element.value, at: element.path, names: names, faults: reader.faults),
                let token = Self.token(own)
            else { continue }
            guard !tokens.contains(where: { $0.purpose == token.purpose }) else {
                let problem = "another token has this kind and name; list the newest one only"
                reader.faults.add(.wrong, element.path, at: element.value.offset, problem)
                continue
            }
            tokens.append(token)
        }
        return tokens
    }

    private static func token(_ reader: ObjectReader) -> ExtraToken? {
        let words = TokenPurpose.Kind.allCases.map { "\"\($0.word)\"" }.joined(separator: ", ")
        var kind: TokenPurpose.Kind?
        _ = reader.text("kind", 1...32, "one of \(words)", isRequired: true) { text in
            kind = TokenPurpose.Kind.allCases.first { $0.word == text }
            return kind != nil
        }
        let token = reader.text("token", DeviceUpload.hexCounts, DeviceUpload.hexForm, isRequired: true) {
            (try? DeviceToken(hex: $0)) != nil
        }
        guard let kind, let purpose = Self.purpose(kind, reader, "name") else { return nil }
        return token.flatMap { try? DeviceToken(hex: $0) }.map { ExtraToken(purpose, $0) }
    }

    /// - Returns: nil with a fault.
    static func purpose(_ kind: TokenPurpose.Kind, _ reader: ObjectReader, _ member: String) -> TokenPurpose? {
        let isRequired = kind.naming == .required
        if kind.naming == .refused, let value = reader.object[member] {
            reader.wrong(member, value, "none: an app has one token of this kind")
            return nil
        }
        var purpose = TokenPurpose(kind)
        let name = reader.text(member, 1...64, nameForm, isRequired: isRequired) { text in
            purpose = TokenPurpose(kind, name: text)
            return purpose != nil
        }
        return name == nil && (isRequired || reader.object[member] != nil) ? nil : purpose
    }
}

extension TokenPurpose.Kind {
    /// Word of the API and the simulator.
    var word: String {
        switch self {
        case .liveActivityStart: "liveactivity-start"
        case .liveActivity: "liveactivity"
        case .widgets: "widgets"
        case .controls: "controls"
        case .location: "location"
        }
    }

    enum Naming {
        case required
        case optional
        /// An app has one token of the kind.
        case refused
    }

    var naming: Naming {
        switch self {
        case .liveActivityStart, .liveActivity: .required
        case .controls: .optional
        case .widgets, .location: .refused
        }
    }
}
