public import Keys
import Opening
import Platform

/// Why the app's device could not do it. Nothing was changed, or what was changed is whole. Without a path, a name or
/// contents.
public enum AppDeviceError: Error, Equatable {
    /// Not before the first unlock; or, for prekeys of the unlocked device, not while it is locked. Try again later.
    case locked
    /// No room on the device.
    case storageFull
    /// Not what was written: neither made anew nor believed. For the identity and the records in the container.
    case damaged
    /// The contact list is not what was written: `setContacts` makes it whole.
    case contactsDamaged
    /// The Web Push keys are not what was written: `disableWebPush`, then `enableWebPush`, makes a new subscription.
    case webPushKeysDamaged
    /// The replay window was lost while the app ran. Open the device again.
    case replayStoreLost
    /// The device was erased, or belongs to another identity by now. Open it again.
    case erased
    /// The keys in the container are those of another app's bundle id: a mistake in the settings.
    case otherTopic
    /// A sender's announcement was refused.
    case announcement(SenderAnnouncementError)
    /// The bundle's prekeys are gone, or senders refuse it as one of the future: rotate first.
    case rotationDue
    /// The relay acknowledged a bundle that was never made.
    case unknownEpoch
    /// The system's random source is broken.
    case randomSource
    /// Any other failure: the call that failed, and its code.
    case system(call: String, code: Int32)

    init(_ call: String, code: Int32) {
        switch code {
        case EACCES, EPERM: self = .locked
        case ENOSPC, EDQUOT: self = .storageFull
        default: self = .system(call: call, code: code)
        }
    }
}

/// What the layers below say, in the app's words.
protocol AppDeviceFailure: Error {
    var appDeviceError: AppDeviceError { get }
}

/// Runs `body`, and translates its failure.
func translated<Result, Failure: AppDeviceFailure>(
    _ body: () throws(Failure) -> Result
) throws(AppDeviceError) -> Result {
    do throws(Failure) { return try body() } catch { throw error.appDeviceError }
}

extension KeyRingError: AppDeviceFailure {
    var appDeviceError: AppDeviceError {
        switch self {
        case .noIdentity, .store(.notFound): .erased
        // Made anew by somebody else since it was looked for.
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
