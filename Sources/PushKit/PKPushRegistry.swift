/// An object that asks for pushes of some types and hands them to its delegate.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistry
open class PKPushRegistry: NSObject {
    /// Takes the token and the pushes. Not kept alive by the registry.
    open weak var delegate: (any PKPushRegistryDelegate)?

    /// Which pushes the app takes. Setting it registers the app: credentials come to the delegate.
    open var desiredPushTypes: Set<PKPushType>? {
        didSet { if desiredPushTypes?.contains(.voIP) == true { system?.register(self) } }
    }

    package let queue: DispatchQueue
    private let system: (any PushSystem)?

    /// - Parameter queue: Where the delegate is called; `nil` is the main queue.
    public init(queue: DispatchQueue?) {
        self.queue = queue ?? .main
        system = CurrentPushSystem.current
        super.init()
    }

    /// The token of a type of pushes.
    ///
    /// - Parameter type: Of pushes.
    /// - Returns: `nil` before there is one.
    open func pushToken(for type: PKPushType) -> Data? {
        type == .voIP && desiredPushTypes?.contains(.voIP) == true ? system?.voIPToken : nil
    }
}

/// What a registry hands over, on the queue that the registry was made with.
///
/// Apple's protocol has optional methods; here the same ones have an implementation that does nothing.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    /// There is a new token; the app tells its server.
    func pushRegistry(
        _ registry: PKPushRegistry,
        didUpdate pushCredentials: PKPushCredentials,
        for type: PKPushType
    )

    /// A push arrived. One of type `voIP` has to be reported to CallKit before this returns, or the system ends the app;
    /// an app that fails again and again may get no more of them.
    ///
    /// - Parameters:
    ///   - registry: Of the app.
    ///   - payload: What was pushed.
    ///   - type: Of the push.
    ///   - completion: To be called when the push is dealt with.
    /// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate/pushregistry(_:didreceiveincomingpushwith:for:completion:)
    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    )

    /// The token is not good any more.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    /// Does nothing, as where Apple's optional method is missing: nothing is reported either.
    public func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {}

    /// Does nothing, as where Apple's optional method is missing.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
