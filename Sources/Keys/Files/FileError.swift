/// Failure of file access, with paths and system errors, never contents.
public enum FileError: Error, Equatable {
    /// No such file.
    case notFound(path: String)
    /// Failed system call, with its `errno`.
    case system(call: String, path: String, code: Int32)
    /// Folder, link to replace, or other non-file.
    case notARegularFile(path: String)
    /// Longer than a valid file.
    case tooLarge(path: String, byteCountMax: Int)
    /// Empty file.
    case empty(path: String)
    /// Existing private key, left alone: overwriting loses it.
    case exists(path: String)
    /// Private key that others can read.
    case permissionsTooLoose(path: String, mode: UInt32)
    /// Published example key, not explicitly allowed.
    case exampleKey(path: String)
    /// Public key (`sender.pub`, `identity.pub`) instead of private.
    case publicKey(path: String)
    /// Private key instead of public; keep it secret.
    case privateKey(path: String)
    /// Unexpected format, not saying which.
    case malformed(path: String, expected: String)
}
