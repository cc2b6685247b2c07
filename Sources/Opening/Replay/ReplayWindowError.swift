private import Platform

/// Why the window gave no verdict. Whatever the case, nothing was recorded as done, and the caller shows its placeholder.
package enum ReplayWindowError: Error, Equatable {
    /// There is no file, or another one took its place since it was opened. Only the app makes a new one.
    case missing
    /// Not to be read now (EACCES, EPERM): before the first unlock, or made by somebody else.
    case locked
    /// No room on the disk (ENOSPC, EDQUOT, EFBIG).
    case full
    /// Not what was written: another size, format or check. Only the app makes a new file.
    case damaged
    case system(call: String, code: Int32)

    init(_ call: String, code: Int32) {
        switch code {
        case EACCES, EPERM: self = .locked
        case ENOSPC, EDQUOT, EFBIG: self = .full
        default: self = .system(call: call, code: code)
        }
    }
}
