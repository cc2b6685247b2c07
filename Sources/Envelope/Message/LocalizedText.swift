/// Text of the app's `Localizable.strings`, in the reader's language.
public struct LocalizedText: Hashable, Sendable {
    static let argumentCountMax = 8

    /// Table's key; not empty.
    public var key: String
    /// Values for the format's `%@`, at most 8.
    public var arguments: [String]

    /// Creates a text.
    public init(key: String, arguments: [String] = []) {
        self.key = key
        self.arguments = arguments
    }
}

/// Number from 0 to 1 with at most four decimals, as a string: readers differ on JSON fractions.
public struct UnitDecimal: Hashable, Comparable, Sendable {
    /// 0 ... 10,000.
    public let tenThousandths: Int

    /// Takes 0 ... 10,000; nil outside.
    public init?(tenThousandths: Int) {
        guard (0...10_000).contains(tenThousandths) else { return nil }
        self.tenThousandths = tenThousandths
    }

    /// Reads `0`, `1`, or `0.` or `1.` with one to four digits.
    init?(text: String) {
        let bytes = Array(text.utf8)
        guard let whole = bytes.first.map({ Int($0) - 48 }), (0...1).contains(whole) else { return nil }
        var value = whole
        guard bytes.count != 1 else {
            tenThousandths = value * 10_000
            return
        }
        guard (3...6).contains(bytes.count), bytes[1] == UInt8(ascii: ".") else { return nil }
        for index in 2..<6 {
            let digit = index < bytes.count ? Int(bytes[index]) - 48 : 0
            guard (0...9).contains(digit) else { return nil }
            value = value * 10 + digit
        }
        guard value <= 10_000 else { return nil }
        tenThousandths = value
    }

    /// The shortest spelling.
    package var text: String {
        guard tenThousandths < 10_000 else { return "1" }
        guard tenThousandths > 0 else { return "0" }
        let digits = String(10_000 + tenThousandths).dropFirst()
        return "0." + digits.reversed().drop { $0 == "0" }.reversed().map(String.init).joined()
    }

    /// Orders by value.
    public static func < (one: UnitDecimal, other: UnitDecimal) -> Bool { one.tenThousandths < other.tenThousandths }
}

extension Message {
    /// Sound of the app, or `default`.
    public struct Sound: Hashable, Sendable {
        /// `default` or a file in the app; not empty.
        public var name: String
        /// Volume; needs the right to critical alerts.
        public var volume: UnitDecimal?

        /// Creates a sound.
        public init(name: String, volume: UnitDecimal? = nil) {
            self.name = name
            self.volume = volume
        }
    }

    /// Apple's interruption levels.
    public enum InterruptionLevel: String, Hashable, Sendable {
        /// Does not light up the screen.
        case passive
        /// The default.
        case active
        /// Breaks through a focus; needs a right.
        case timeSensitive = "time-sensitive"
        /// Sounds through silence; needs a right, and Apple's entitlement.
        case critical
    }

    /// Small value for the app.
    public enum InfoValue: Hashable, Sendable {
        /// Text without U+0000.
        case string(String)
        /// Whole number.
        case integer(Int64)
        /// True or false.
        case bool(Bool)
    }

    static let infoCountMax = 16

    /// Printable ASCII, so that readers distinguish names alike.
    static func isInfoName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    package static let badgeRange = 0...9_999
}
