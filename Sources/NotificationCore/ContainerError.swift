import Keys
import Platform

/// Why something could not be kept in, or read from, the container that an app shares with its extension. Without a path
/// and without contents.
public enum ContainerError: Error, Equatable {
    /// Not before the first unlock.
    case locked
    /// No room on the device.
    case full
    /// Not what was written.
    case damaged
    /// Any other failure: the call that failed, and its code.
    case system(call: String, code: Int32)

    init(_ error: FileError) {
        switch error {
        case .system(_, _, EPERM), .system(_, _, EACCES): self = .locked
        case .system(_, _, ENOSPC), .system(_, _, EDQUOT): self = .full
        case .system(let call, _, let code): self = .system(call: call, code: code)
        case .notFound: self = .system(call: "open", code: ENOENT)
        case .notARegularFile, .tooLarge, .empty, .exists, .permissionsTooLoose, .exampleKey, .publicKey, .privateKey,
            .malformed:
            self = .damaged
        }
    }
}
