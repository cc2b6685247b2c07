/// App's constants for its calls.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxproviderconfiguration
open class CXProviderConfiguration: NSObject {
    /// Sound file in the app's bundle; `nil` is the system's own.
    open var ringtoneSound: String?
    /// App's icon for the call's screen: 40 points square, as a mask.
    open var iconTemplateImageData: Data?
    /// Limit of groups of calls at once.
    open var maximumCallGroups = 2
    /// Limit of calls in a group.
    open var maximumCallsPerCallGroup = 5
    /// True if calls appear in the phone's list of recent calls.
    open var includesCallsInRecents = true
    /// True if calls may have video.
    open var supportsVideo = false
    /// Kinds of handles that the app calls.
    open var supportedHandleTypes: Set<CXHandle.HandleType> = []

    /// Creates a configuration with Apple's defaults.
    public override init() {
        super.init()
    }
}
