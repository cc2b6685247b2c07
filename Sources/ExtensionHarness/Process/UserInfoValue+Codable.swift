internal import UserNotifications

/// One level of JSON for each of the value, so that any nesting gets through.
///
/// A letter before a text separates it from the type names of values without a JSON form.
extension UserInfoValue: Codable {
    private static let text: Unicode.Scalar = "s"
    private static let type: Unicode.Scalar = "o"

    /// Writes the value as JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode(double)
        case .string(let string): try container.encode(Self.tagged(string, Self.text))
        case .array(let elements): try container.encode(elements)
        case .dictionary(let members): try container.encode(members)
        case .other(let type): try container.encode(Self.tagged(type, Self.type))
        }
    }

    /// Reads the output of `encode(to:)`.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        // Collections first: deep down each failed attempt is slow.
        if var elements = try? decoder.unkeyedContainer() {
            self = .array(try Self.rest(of: &elements))
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let string = try? container.decode(String.self), let value = Self.untagged(string) {
            self = value
        } else if let double = try? container.decode(Double.self) {
            self = .double(double)
        } else {
            self = .dictionary(try container.decode([String: UserInfoValue].self))
        }
    }

    private static func rest(of container: inout any UnkeyedDecodingContainer) throws -> [UserInfoValue] {
        var elements: [UserInfoValue] = []
        while !container.isAtEnd { elements.append(try container.decode(UserInfoValue.self)) }
        return elements
    }

    private static func tagged(_ string: String, _ tag: Unicode.Scalar) -> String {
        var scalars = String.UnicodeScalarView([tag])
        scalars += string.unicodeScalars
        return String(scalars)
    }

    /// By scalars: a leading combining mark would join the tag.
    private static func untagged(_ string: String) -> UserInfoValue? {
        let rest = String(string.unicodeScalars.dropFirst())
        return switch string.unicodeScalars.first {
        case text: .string(rest)
        case type: .other(type: rest)
        default: nil
        }
    }
}
