/// Id of one notification, the value of `apns-id`: a UUID in canonical lower-case form.
///
/// - Source: "Sending notification requests to APNs", `apns-id`; RFC 9562 sections 4 and 5.4.
public struct APNSID: Hashable, Sendable {
    /// Length of the form 8-4-4-4-12.
    public static let characterCount = 36

    private let high: UInt64
    private let low: UInt64

    /// Creates a random id from the system's generator.
    public init() {
        var random = SystemRandomNumberGenerator()
        self.init(high: random.next(), low: random.next())
    }

    /// - Parameter randomBytes: 16; six bits become version and variant of RFC 9562 version 4.
    package init(randomBytes: [UInt8]) {
        precondition(randomBytes.count == 16)
        let high = randomBytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = randomBytes[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(high: high, low: low)
    }

    /// 122 bits stay random.
    private init(high: UInt64, low: UInt64) {
        self.high = high & ~0xF000 | 0x4000
        self.low = low & ~(0b11 << 62) | 0b10 << 62
    }

    /// Creates an id of 16 bytes, of any version.
    public init(bytes: Span<UInt8>) {
        precondition(bytes.count == 16)
        var high: UInt64 = 0
        var low: UInt64 = 0
        for offset in 0..<8 {
            high = high << 8 | UInt64(bytes[offset])
            low = low << 8 | UInt64(bytes[offset + 8])
        }
        self.high = high
        self.low = low
    }

    /// Reads the canonical text, 36 ASCII characters.
    ///
    /// - Parameters:
    ///   - text: ASCII, with four hyphens.
    ///   - acceptsUpperCase: true for a server's answer: APNs writes its own ids in upper case.
    public init?(text: Span<UInt8>, acceptsUpperCase: Bool) {
        guard text.count == Self.characterCount else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var digitCount = 0
        for offset in text.indices {
            let character = text[offset]
            switch offset {
            case 8, 13, 18, 23:
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            default: break
            }
            guard let value = Hex.value(of: character) else { return nil }
            guard acceptsUpperCase || Hex.lowerCase(value) == character else { return nil }
            if digitCount < 16 {
                halves.high = halves.high << 4 | UInt64(value)
            } else {
                halves.low = halves.low << 4 | UInt64(value)
            }
            digitCount += 1
        }
        (high, low) = halves
    }

    /// Reads the canonical text, in either case.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        self.init(text: utf8.span, acceptsUpperCase: true)
    }

    /// 16 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for half in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
        return bytes
    }

    package func appendText(to text: inout [UInt8]) { append(to: &text, letters: Hex.lowerCaseLetters) }

    /// Canonical text, 36 bytes.
    public var text: [UInt8] {
        var text: [UInt8] = []
        appendText(to: &text)
        return text
    }

    package var upperCaseText: [UInt8] {
        var text: [UInt8] = []
        append(to: &text, letters: Hex.upperCaseLetters)
        return text
    }

    package func isSpelled(_ text: Span<UInt8>) -> Bool {
        guard text.count == Self.characterCount else { return false }
        var offset = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                guard text[offset] == UInt8(ascii: "-") else { return false }
                offset += 1
            }
            let half = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: half >> (60 - 4 * (index % 16))) & 0x0F
            guard text[offset] == Hex.lowerCase(nibble) || text[offset] == Hex.upperCase(nibble) else { return false }
            offset += 1
        }
        return true
    }

    private func append(to text: inout [UInt8], letters: UInt64) {
        var characters = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var offset = 0
        for index in 0..<4 {
            let quarter = (index < 2 ? high : low) >> (index & 1 == 0 ? 32 : 0)
            var digits = Hex.digits(of: UInt32(truncatingIfNeeded: quarter), letters: letters)
            for place in 0..<8 {
                // A hyphen stands before the digits 8, 12, 16 and 20.
                if place & 3 == 0, (2...5).contains(2 * index + place / 4) { offset += 1 }
                characters[offset] = UInt8(truncatingIfNeeded: digits >> 56)
                digits <<= 8
                offset += 1
            }
        }
        // One append: 36 single ones take as long as making the digits.
        unsafe characters.span.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }
}

extension APNSID: CustomStringConvertible {
    /// Canonical text.
    public var description: String { String(decoding: text, as: UTF8.self) }
}
