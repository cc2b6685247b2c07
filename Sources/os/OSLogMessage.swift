/// Log message, in which each value is written or hidden by its privacy. Created only from a string literal.
///
/// - Source: https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    /// Public text, with `<private>` for hidden values.
    package let redacted: String

    /// Creates a message without values.
    public init(stringLiteral value: String) {
        redacted = value
    }

    /// Creates a message with values.
    public init(stringInterpolation: OSLogInterpolation) {
        redacted = stringInterpolation.redacted
    }
}

/// Parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var redacted = ""

    /// Reserves room.
    ///
    /// - Parameters:
    ///   - literalCapacity: Bytes of text.
    ///   - interpolationCount: Number of values.
    public init(literalCapacity: Int, interpolationCount: Int) {
        redacted.reserveCapacity(literalCapacity)
    }

    /// Appends text from the program.
    public mutating func appendLiteral(_ literal: String) {
        redacted += literal
    }

    /// Appends a text: hidden unless public.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure () -> String,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(argumentString(), isScalar: false)
    }

    /// Appends a value by its description: hidden unless public.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> some CustomStringConvertible,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(value().description, isScalar: false)
    }

    /// Appends an error: hidden unless public.
    public mutating func appendInterpolation(_ error: @autoclosure () -> any Error, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text("\(error())", isScalar: false)
    }

    /// Appends a type: written unless private.
    public mutating func appendInterpolation(_ value: @autoclosure () -> any Any.Type, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text("\(value())", isScalar: true)
    }

    /// Appends a number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some FixedWidthInteger,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text("\(number())", isScalar: true)
    }

    /// Appends a number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some FixedWidthInteger,
        format: OSLogIntegerFormatting,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(format.text(number()), isScalar: true)
    }

    /// Appends a number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some BinaryFloatingPoint & CustomStringConvertible,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(number().description, isScalar: true)
    }

    /// Appends a Boolean: written unless private.
    public mutating func appendInterpolation(_ boolean: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text(boolean() ? "true" : "false", isScalar: true)
    }
}

/// Format of an integer.
public struct OSLogIntegerFormatting: Sendable, Equatable {
    private let radix: Int

    /// Base 10.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 10) }
    /// Base 16.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
    /// Base 8.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }

    func text(_ number: some FixedWidthInteger) -> String { String(number, radix: radix) }
}
