/// Reason why the system rejects an attachment.
public enum AttachmentProblem: Sendable, Equatable {
    /// The file is gone or cannot be read.
    case missing
    /// The type is not on Apple's list.
    case unrecognized
    /// The file exceeds the limit of its kind.
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// The file's first bytes do not match its type.
    case corrupt
    /// The file could not be moved into the system's store.
    case notMoved
}
