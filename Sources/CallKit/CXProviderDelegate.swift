/// Requests to the app, on the delegate's queue. Apple's optional methods do nothing here.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxproviderdelegate
public protocol CXProviderDelegate: NSObjectProtocol {
    /// The system has dropped all calls: the app ends its own.
    func providerDidReset(_ provider: CXProvider)
    /// The person answers.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
    /// The person declines or hangs up.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)
}

extension CXProviderDelegate {
    /// Does nothing, like a missing optional method.
    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {}
    /// Does nothing, like a missing optional method.
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) {}
}

/// Action requested of the app; an abstract class.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxaction
open class CXAction: NSObject {
    /// Action's id.
    public let uuid = UUID()
    /// True once fulfilled or failed.
    open private(set) var isComplete = false

    /// Marks the action as done.
    open func fulfill() { isComplete = true }

    /// Marks the action as failed.
    open func fail() { isComplete = true }
}

/// Action on a call; an abstract class.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxcallaction
open class CXCallAction: CXAction {
    /// Call's id.
    public let callUUID: UUID

    /// Creates an action on a call.
    public init(call callUUID: UUID) {
        self.callUUID = callUUID
        super.init()
    }
}

/// Answers a call for the person.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxanswercallaction
open class CXAnswerCallAction: CXCallAction {}

/// Declines or ends a call for the person.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxendcallaction
open class CXEndCallAction: CXCallAction {}
