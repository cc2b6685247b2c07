/// Reason why the system rejects an attachment.
public enum AttachmentProblem: Sendable, Equatable {
    /// Missing or unreadable file.
    case missing
    /// Type not on Apple's list.
    case unrecognized
    /// File beyond the limit of its kind.
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// First bytes unlike the type's.
    case corrupt
    /// Not movable into the system's store.
    case notMoved
}
