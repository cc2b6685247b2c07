private import Platform

package enum ReplayWindowError: Error, Equatable {
    /// No file, or another in its place. Only the app makes a new one.
    case missing
    /// EACCES or EPERM: before the first unlock, or another user's file.
    case locked
    /// ENOSPC, EDQUOT or EFBIG.
    case full
    /// Wrong size, format or check. Only the app makes a new file.
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
