/// Properties of a call. Apple does not document its defaults for `supports…`; here nothing is supported unless set.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallupdate
open class CXCallUpdate: NSObject, NSCopying {
    /// Handle of the caller, for the system's lists.
    open var remoteHandle: CXHandle?
    /// Name of the caller on the screen; `nil` shows the handle.
    open var localizedCallerName: String?
    /// True if the call can be put on hold.
    open var supportsHolding = false
    /// True if the call can be joined with another.
    open var supportsGrouping = false
    /// True if the call can be taken out of such a group.
    open var supportsUngrouping = false
    /// True if keys can be pressed during the call.
    open var supportsDTMF = false
    /// True for a video call.
    open var hasVideo = false

    /// Creates an empty update.
    public override init() {
        super.init()
    }

    /// Independent copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CXCallUpdate()
        copy.remoteHandle = remoteHandle
        copy.localizedCallerName = localizedCallerName
        copy.supportsHolding = supportsHolding
        copy.supportsGrouping = supportsGrouping
        copy.supportsUngrouping = supportsUngrouping
        copy.supportsDTMF = supportsDTMF
        copy.hasVideo = hasVideo
        return copy
    }
}

/// Address of a person for calls.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxhandle
open class CXHandle: NSObject, NSCopying {
    /// Kind of handle.
    public enum HandleType: Int, Sendable {
        /// App's own kind.
        case generic = 1
        /// Telephone number.
        case phoneNumber
        /// E-mail address.
        case emailAddress
    }

    /// Kind of handle.
    public let type: HandleType
    /// Handle itself.
    public let value: String

    /// Creates a handle.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
        super.init()
    }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Reason for a call's end.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallendedreason
public enum CXCallEndedReason: Int, Sendable {
    /// An error.
    case failed = 1
    /// Hung up by the other side.
    case remoteEnded
    /// Not answered in time.
    case unanswered
    /// Answered on another device.
    case answeredElsewhere
    /// Declined on another device.
    case declinedElsewhere
}
