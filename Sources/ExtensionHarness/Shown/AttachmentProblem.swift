/// Why the system does not take an attachment once the extension is done.
public enum AttachmentProblem: Sendable, Equatable {
    /// No readable file is there any more.
    case missing
    /// Its type is none of Apple's list.
    case unrecognized
    /// The file is larger than its kind may be.
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// The file's first bytes are not of its type.
    case corrupt
    /// The file could not be moved into the system's store.
    case notMoved
}
