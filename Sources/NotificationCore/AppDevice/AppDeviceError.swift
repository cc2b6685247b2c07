public import Keys
import Opening
import Platform

/// Failure of an operation; data stays consistent. No path, name or contents.
public enum AppDeviceError: Error, Equatable {
    /// Before the first unlock; for prekeys of class 2, while locked. Retry later.
    case locked
    /// No space left.
    case storageFull
    /// Damaged identity or record, neither trusted nor replaced.
    case damaged
    /// Damaged contact list; `setContacts` repairs it.
    case contactsDamaged
    /// `disableWebPush`, then `enableWebPush`, makes a new subscription.
    case webPushKeysDamaged
    /// Replay window lost while the app ran. Reopen the device.
    case replayStoreLost
    /// Device erased, or replaced by another identity. Reopen it.
    case erased
    /// Container keys of another app's bundle id: wrong settings.
    case otherTopic
    /// Refused announcement of a sender.
    case announcement(SenderAnnouncementError)
    /// Bundle expired, or one of the future: rotate first.
    case rotationDue
    /// Acknowledged epoch that was never made.
    case unknownEpoch
    /// Broken random source.
    case randomSource
    /// Other failed system call, with its code.
    case system(call: String, code: Int32)

    init(_ call: String, code: Int32) {
        switch code {
        case EACCES, EPERM: self = .locked
        case ENOSPC, EDQUOT: self = .storageFull
        default: self = .system(call: call, code: code)
        }
    }
}

protocol AppDeviceFailure: Error {
    var appDeviceError: AppDeviceError { get }
}

func translated<Result, Failure: AppDeviceFailure>(
    _ body: () throws(Failure) -> Result
) throws(AppDeviceError) -> Result {
    do throws(Failure) { return try body() } catch { throw error.appDeviceError }
}

extension KeyRingError: AppDeviceFailure {
    var appDeviceError: AppDeviceError {
        switch self {
        case .noIdentity, .store(.notFound): .erased
        // Another process made one since the lookup.
        case .identityExists: .erased
        case .identityDamaged, .store(.damaged): .damaged
        case .otherTopic: .otherTopic
        case .randomSourceStuck: .randomSource
        case .rotationDue: .rotationDue
        case .unknownEpoch: .unknownEpoch
        case .store(.locked): .locked
        case .store(.system(let call, let code)): AppDeviceError(call, code: code)
        case .lock(let code): AppDeviceError("flock", code: code)
        }
    }
}

extension ReplayWindowError: AppDeviceFailure {
    var appDeviceError: AppDeviceError {
        switch self {
        case .missing, .damaged: .replayStoreLost
        case .locked: .locked
        case .full: .storageFull
        case .system(let call, let code): AppDeviceError(call, code: code)
        }
    }
}

extension ContainerError: AppDeviceFailure {
    var appDeviceError: AppDeviceError {
        switch self {
        case .locked: .locked
        case .full: .storageFull
        case .damaged: .damaged
        case .system(let call, let code): AppDeviceError(call, code: code)
        }
    }
}

extension FileError: AppDeviceFailure {
    var appDeviceError: AppDeviceError { ContainerError(self).appDeviceError }
}
