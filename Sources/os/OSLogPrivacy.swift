/// Whether a value is written into the log, which others than the app's person may read.
///
/// - Source: https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Sendable, Equatable {
    /// How a value that is not written can still be told from another.
    public enum Mask: Sendable, Equatable {
        /// By a hash of it.
        case hash
        /// Not at all.
        case none
    }

    private enum Kind { case auto, open, hidden }

    private let kind: Kind
    private let mask: Mask

    /// Numbers and Booleans are written, everything else is not.
    public static var auto: OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: .none) }
    /// Written.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(kind: .open, mask: .none) }
    /// Not written.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }
    /// Not written, not even where a developer asks for private values.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }

    /// As `auto`, but what is not written has a mask.
    ///
    /// - Parameter mask: What is written instead.
    /// - Returns: The privacy.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: mask) }

    /// As `private`, but with a mask.
    ///
    /// - Parameter mask: What is written instead.
    /// - Returns: The privacy.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    /// As `sensitive`, but with a mask.
    ///
    /// - Parameter mask: What is written instead.
    /// - Returns: The privacy.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    /// What stands in the log for a value; a scalar is a number or a Boolean.
    func text(_ value: String, isScalar: Bool) -> String {
        switch (kind, mask) {
        case (.open, _): value
        case (.auto, _) where isScalar: value
        case (_, .none): "<private>"
        // Of this process only: enough to see that two values are the same.
        case (_, .hash): "<mask.hash: \(String(UInt(bitPattern: value.hashValue), radix: 16))>"
        }
    }
}
