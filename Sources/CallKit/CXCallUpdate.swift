/// What is known of a call.
///
/// What Apple's own defaults for the `supports…` properties are is not documented; here nothing is supported unless the
/// app says so.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallupdate
open class CXCallUpdate: NSObject, NSCopying {
    /// Who calls, for the system's lists.
    open var remoteHandle: CXHandle?
    /// Who calls, as the screen says it; `nil` shows the handle.
    open var localizedCallerName: String?
    /// Whether it can be put on hold.
    open var supportsHolding = false
    /// Whether it can be joined with another.
    open var supportsGrouping = false
    /// Whether it can be taken out of such a group.
    open var supportsUngrouping = false
    /// Whether keys can be pressed in it.
    open var supportsDTMF = false
    /// Whether it has a picture.
    open var hasVideo = false

    /// Nothing is known.
    public override init() {
        super.init()
    }

    /// A copy that does not change with this one.
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

/// How somebody can be reached.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxhandle
open class CXHandle: NSObject, NSCopying {
    /// What kind of handle.
    public enum HandleType: Int, Sendable {
        /// An app's own.
        case generic = 1
        /// A telephone number.
        case phoneNumber
        /// An address of electronic mail.
        case emailAddress
    }

    /// What kind it is.
    public let type: HandleType
    /// The handle itself.
    public let value: String

    /// - Parameters:
    ///   - type: What kind it is.
    ///   - value: The handle itself.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
        super.init()
    }

    /// A handle cannot change, so its copy is itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Why a call ended.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallendedreason
public enum CXCallEndedReason: Int, Sendable {
    /// An error.
    case failed = 1
    /// The other side hung up.
    case remoteEnded
    /// Nobody answered in time.
    case unanswered
    /// Answered on another device.
    case answeredElsewhere
    /// Declined on another device.
    case declinedElsewhere
}
