/// Why a file could not be sealed, or what is stored not opened. Says where, never what was there.
public enum AttachmentError: Error, Hashable, Sendable {
    /// It ended before its end.
    case truncated
    /// It goes on after its end, or is longer than a file may be.
    case tooLong
    /// The commitment is another: sealed with another key, for another attachment, or no attachment at all.
    case wrongKey
    /// This chunk, counted from 0, is not the one that was sealed in its place.
    case damaged(chunk: UInt64)
    /// What follows the file and hides its length is not zeros: whoever sealed it gave another length.
    case wrongPadding
    /// The file became longer or shorter while it was read.
    case sourceChanged
    /// The file to be read is a folder, a pipe or a device.
    case notARegularFile
    /// The system refused; the code is `errno`'s.
    case file(operation: FileOperation, errno: Int32)

    /// What the system was asked for.
    public enum FileOperation: String, Sendable {
        case open, create, read, write, close
    }
}
