internal import UserNotifications

/// Value of a notification's `userInfo`, comparable and `Sendable`. The extension gets Foundation objects, as on iOS;
/// its result comes back as this, without references.
public enum UserInfoValue: Sendable, Equatable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// Integral number that fits an `Int`.
    case integer(Int)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([UserInfoValue])
    /// Values by key.
    case dictionary([String: UserInfoValue])
    /// Object of the extension's that no payload can hold, by the name of its type.
    case other(type: String)

    /// Converts any value. Collections nested deeper than 512, the JSON parser's limit, become `.other`.
    init(_ value: Any) {
        self.init(value, depthMax: 512)
    }

    /// Converts a `userInfo` dictionary, without keys that are no strings, which no payload has.
    static func dictionary(of userInfo: [AnyHashable: Any]) -> [String: UserInfoValue] {
        dictionary(of: userInfo, depthMax: 512)
    }

    /// Dictionary's members.
    public var members: [String: UserInfoValue]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// Array's elements.
    public var elements: [UserInfoValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// String's text.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// Integer's or double's number; `nil` for Booleans too.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// The same value as a new tree of Foundation objects.
    var foundationValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let bool): NSNumber(value: bool)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .string(let string): string
        case .array(let elements): elements.map(\.foundationValue)
        case .dictionary(let members): members.mapValues(\.foundationValue)
        case .other: NSNull()
        }
    }

    private init(_ value: Any, depthMax: Int) {
        switch value {
        case let string as String: self = .string(string)
        // Before Swift's number types: an NSNumber that holds 1 also casts to Bool.
        case let number as NSNumber: self.init(number)
        case let dictionary as [AnyHashable: Any] where depthMax > 0:
            self = .dictionary(Self.dictionary(of: dictionary, depthMax: depthMax - 1))
        case let array as [Any] where depthMax > 0:
            self = .array(array.map { UserInfoValue($0, depthMax: depthMax - 1) })
        case is NSNull: self = .null
        default: self = .other(type: "\(type(of: value))")
        }
    }

    /// Tells a Boolean by its encoding, "c".
    private init(_ number: NSNumber) {
        if unsafe number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")) {
            self = .bool(number.boolValue)
        } else if let integer = number as? Int, number.doubleValue == Double(integer) {
            self = .integer(integer)
        } else {
            self = .double(number.doubleValue)
        }
    }

    private static func dictionary(of userInfo: [AnyHashable: Any], depthMax: Int) -> [String: UserInfoValue] {
        var members: [String: UserInfoValue] = [:]
        for (key, value) in userInfo {
            guard let key = key.base as? String else { continue }
            members[key] = UserInfoValue(value, depthMax: depthMax)
        }
        return members
    }
}
