/// Errors without the file's content.
public enum AttachmentError: Error, Hashable, Sendable {
    /// Stored bytes that end early.
    case truncated
    /// Bytes follow the end, or the file is too long.
    case tooLong
    /// Another key, another attachment, or none.
    case wrongKey
    /// This chunk, counted from 0, is not the sealed one.
    case damaged(chunk: UInt64)
    /// The file's padding is not zeros: the sender gave another length.
    case wrongPadding
    /// Length changed meanwhile.
    case sourceChanged
    /// Folder, pipe or device as source.
    case notARegularFile
    /// Failed system call.
    case file(operation: FileOperation, errno: Int32)

    /// Failed operation.
    public enum FileOperation: String, Sendable {
        case open, create, read, write, close
    }
}
