/// A message with values in it, each written or not as its privacy says. Nothing but a string literal is one.
///
/// - Source: https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    /// The text with what others may read, and `<private>` for the rest.
    package let redacted: String

    /// A message without values.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) {
        redacted = value
    }

    /// A message with values.
    ///
    /// - Parameter stringInterpolation: Texts and values.
    public init(stringInterpolation: OSLogInterpolation) {
        redacted = stringInterpolation.redacted
    }
}

/// The parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var redacted = ""

    /// Room for what comes.
    ///
    /// - Parameters:
    ///   - literalCapacity: Bytes of text.
    ///   - interpolationCount: How many values.
    public init(literalCapacity: Int, interpolationCount: Int) {
        redacted.reserveCapacity(literalCapacity)
    }

    /// Text of the program's own.
    public mutating func appendLiteral(_ literal: String) {
        redacted += literal
    }

    /// Text that may be anything: not written unless public.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure () -> String,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(argumentString(), isScalar: false)
    }

    /// A value that describes itself: not written unless public.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> some CustomStringConvertible,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(value().description, isScalar: false)
    }

    /// An error: not written unless public.
    public mutating func appendInterpolation(_ error: @autoclosure () -> any Error, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text("\(error())", isScalar: false)
    }

    /// A type: written unless private.
    public mutating func appendInterpolation(_ value: @autoclosure () -> any Any.Type, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text("\(value())", isScalar: true)
    }

    /// A number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some FixedWidthInteger,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text("\(number())", isScalar: true)
    }

    /// A number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some FixedWidthInteger,
        format: OSLogIntegerFormatting,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(format.text(number()), isScalar: true)
    }

    /// A number: written unless private.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some BinaryFloatingPoint & CustomStringConvertible,
        privacy: OSLogPrivacy = .auto
    ) {
        redacted += privacy.text(number().description, isScalar: true)
    }

    /// True or false: written unless private.
    public mutating func appendInterpolation(_ boolean: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto) {
        redacted += privacy.text(boolean() ? "true" : "false", isScalar: true)
    }
}

/// How an integer is written.
public struct OSLogIntegerFormatting: Sendable, Equatable {
    private let radix: Int

    /// With base 10.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 10) }
    /// With base 16.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
    /// With base 8.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }

    func text(_ number: some FixedWidthInteger) -> String { String(number, radix: radix) }
}
