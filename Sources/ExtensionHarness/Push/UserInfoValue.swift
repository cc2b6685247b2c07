internal import UserNotifications

/// One value of a notification's `userInfo`, as a value that can be compared and cross threads.
///
/// A payload's JSON becomes Foundation objects for the extension, as on iOS, and what the extension leaves in `userInfo`
/// comes back as this: neither a reference nor a class survives into a result.
public enum UserInfoValue: Sendable, Equatable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits.
    case integer(Int)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([UserInfoValue])
    /// Values by key.
    case dictionary([String: UserInfoValue])
    /// Something that no payload can hold: an object that the extension put there, by the name of its type.
    case other(type: String)

    /// - Parameter value: Anything; collections nested more than 512 deep, which is where the JSON parser stops too, end
    ///   as `.other`.
    init(_ value: Any) {
        self.init(value, depthMax: 512)
    }

    /// A `userInfo` dictionary. Keys that are not strings, which no payload has, are left out.
    static func dictionary(of userInfo: [AnyHashable: Any]) -> [String: UserInfoValue] {
        dictionary(of: userInfo, depthMax: 512)
    }

    /// The members of a dictionary, `nil` for any other value.
    public var members: [String: UserInfoValue]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// The elements of an array, `nil` for any other value.
    public var elements: [UserInfoValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text of a string, `nil` for any other value.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number of an integer or a double, `nil` for any other value: a Boolean is not a number here.
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
        // Before the numbers' Swift types: an NSNumber that holds 1 also casts to Bool.
        case let number as NSNumber: self.init(number)
        case let dictionary as [AnyHashable: Any] where depthMax > 0:
            self = .dictionary(Self.dictionary(of: dictionary, depthMax: depthMax - 1))
        case let array as [Any] where depthMax > 0:
            self = .array(array.map { UserInfoValue($0, depthMax: depthMax - 1) })
        case is NSNull: self = .null
        default: self = .other(type: "\(type(of: value))")
        }
    }

    /// A Boolean is told from a number by its encoding, "c": as JSON it is another value.
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
