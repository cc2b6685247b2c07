/// An app's constants for its calls.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxproviderconfiguration
open class CXProviderConfiguration: NSObject {
    /// A sound file in the app's bundle; `nil` is the system's own.
    open var ringtoneSound: String?
    /// The app's icon for the call's screen: 40 points square, as a mask.
    open var iconTemplateImageData: Data?
    /// Groups of calls at once.
    open var maximumCallGroups = 2
    /// Calls in a group.
    open var maximumCallsPerCallGroup = 5
    /// Whether calls are listed among those of the phone.
    open var includesCallsInRecents = true
    /// Whether calls may have a picture.
    open var supportsVideo = false
    /// What kinds of handles the app calls.
    open var supportedHandleTypes: Set<CXHandle.HandleType> = []

    /// Apple's defaults.
    public override init() {
        super.init()
    }
}
