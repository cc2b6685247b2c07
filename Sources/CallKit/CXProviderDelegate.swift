/// What a provider asks of the app, on the queue that was given with the delegate.
///
/// Apple's protocol has optional methods; here the same ones have an implementation that does nothing.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxproviderdelegate
public protocol CXProviderDelegate: NSObjectProtocol {
    /// The system has forgotten all calls: the app ends what it has.
    func providerDidReset(_ provider: CXProvider)
    /// The person answers.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
    /// The person declines or hangs up.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)
}

extension CXProviderDelegate {
    /// Does nothing, as where Apple's optional method is missing.
    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {}
    /// Does nothing, as where Apple's optional method is missing.
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) {}
}

/// What the app is to do. An abstract class.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxaction
open class CXAction: NSObject {
    /// The action's own.
    public let uuid = UUID()
    /// Whether it was fulfilled or failed.
    open private(set) var isComplete = false

    /// It is done.
    open func fulfill() { isComplete = true }

    /// It could not be done.
    open func fail() { isComplete = true }
}

/// An action on a call. An abstract class.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallaction
open class CXCallAction: CXAction {
    /// The call's.
    public let callUUID: UUID

    /// - Parameter callUUID: The call's.
    public init(call callUUID: UUID) {
        self.callUUID = callUUID
        super.init()
    }
}

/// The person answers.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxanswercallaction
open class CXAnswerCallAction: CXCallAction {}

/// The person declines or hangs up.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxendcallaction
open class CXEndCallAction: CXCallAction {}
