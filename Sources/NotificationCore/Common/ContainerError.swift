import Keys
import Platform

/// Failure to read or write the shared container, without path or contents.
public enum ContainerError: Error, Equatable {
    /// Before the first unlock.
    case locked
    /// No space left.
    case full
    /// Damaged contents.
    case damaged
    /// Other failed call, with its code.
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
