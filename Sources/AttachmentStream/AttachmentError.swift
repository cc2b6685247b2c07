/// Errors of sealing or opening a file, without its content.
public enum AttachmentError: Error, Hashable, Sendable {
    /// The stored bytes end early.
    case truncated
    /// The stored bytes continue after their end, or the file is too long.
    case tooLong
    /// The commitment differs: another key, another attachment, or no attachment.
    case wrongKey
    /// This chunk, counted from 0, is not the sealed one.
    case damaged(chunk: UInt64)
    /// The padding after the file is not zeros: the sender gave another length.
    case wrongPadding
    /// The file's length changed while it was read.
    case sourceChanged
    /// The source is a folder, a pipe or a device.
    case notARegularFile
    /// A system call failed.
    case file(operation: FileOperation, errno: Int32)

    /// The failed operation.
    public enum FileOperation: String, Sendable {
        case open, create, read, write, close
    }
}
