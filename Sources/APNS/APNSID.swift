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

    /// 122 of the random bits stay.
    package init(high: UInt64, low: UInt64) {
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

    /// True for the canonical text, in either case.
    package func isSpelled(_ text: Span<UInt8>) -> Bool {
        guard text.count == Self.characterCount else { return false }
        let own = characters(letters: Hex.lowerCaseLetters)
        let (texts, owns) = unsafe (text.bytes, own.span.bytes)
        func difference(at offset: Int) -> UInt64 {
            let word = unsafe owns.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let other = unsafe texts.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // A letter's case is the bit 0x20; only letters have 0x40.
            return (word ^ other) & ~((word & 0x4040_4040_4040_4040) >> 1)
        }
        // The last word overlaps the one before.
        return difference(at: 0) | difference(at: 8) | difference(at: 16) | difference(at: 24) | difference(at: 28) == 0
    }

    /// Overwrites 36 bytes with the canonical text.
    package func writeText(to text: inout MutableSpan<UInt8>, at start: Int) {
        write(to: &text, at: start, letters: Hex.lowerCaseLetters)
    }

    private static let hyphen = UInt8(ascii: "-")

    private func append(to text: inout [UInt8], letters: UInt64) {
        // One append: 36 single ones take as long as making the digits.
        unsafe characters(letters: letters).span.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }

    private func characters(letters: UInt64) -> InlineArray<36, UInt8> {
        var characters = InlineArray<36, UInt8>(repeating: Self.hyphen)
        var span = characters.mutableSpan
        write(to: &span, at: 0, letters: letters)
        return characters
    }

    private func write(to text: inout MutableSpan<UInt8>, at start: Int, letters: UInt64) {
        (text[start + 8], text[start + 13]) = (Self.hyphen, Self.hyphen)
        (text[start + 18], text[start + 23]) = (Self.hyphen, Self.hyphen)
        func digits(_ number: UInt64) -> UInt64 { Hex.digits(of: UInt32(truncatingIfNeeded: number), letters: letters) }
        let (first, second, third, fourth) = (digits(high >> 32), digits(high), digits(low >> 32), digits(low))
        var bytes = unsafe text.mutableBytes
        bytes.storeBytes(of: first.bigEndian, toByteOffset: start, as: UInt64.self)
        bytes.storeBytes(of: UInt32(second >> 32).bigEndian, toByteOffset: start + 9, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: start + 14, as: UInt32.self)
        bytes.storeBytes(of: UInt32(third >> 32).bigEndian, toByteOffset: start + 19, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: start + 24, as: UInt32.self)
        bytes.storeBytes(of: fourth.bigEndian, toByteOffset: start + 28, as: UInt64.self)
    }
}

extension APNSID: CustomStringConvertible {
    /// Canonical text.
    public var description: String { String(decoding: text, as: UTF8.self) }
}
