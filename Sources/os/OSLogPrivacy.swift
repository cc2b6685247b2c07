/// Privacy of a value in the log, which may have other readers than the app's user.
///
/// - Source: https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Sendable, Equatable {
    /// Replacement of a hidden value.
    public enum Mask: Sendable, Equatable {
        /// A hash, by which equal values can be recognized.
        case hash
        /// No trace of the value.
        case none
    }

    private enum Kind { case auto, open, hidden }

    private let kind: Kind
    private let mask: Mask

    /// Writes numbers and Booleans, hides everything else.
    public static var auto: OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: .none) }
    /// Written.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(kind: .open, mask: .none) }
    /// Hidden.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }
    /// Hidden, even if a developer asks for private values.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }

    /// As `auto`, with a mask for hidden values.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: mask) }

    /// As `private`, with a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    /// As `sensitive`, with a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    /// Text of a value in the log; a scalar is a number or a Boolean.
    func text(_ value: String, isScalar: Bool) -> String {
        switch (kind, mask) {
        case (.open, _): value
        case (.auto, _) where isScalar: value
        case (_, .none): "<private>"
        // Seeded for each process: enough to recognize equal values.
        case (_, .hash): "<mask.hash: \(String(UInt(bitPattern: value.hashValue), radix: 16))>"
        }
    }
}
