/// Registers for pushes of some types and passes them to its delegate.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistry
open class PKPushRegistry: NSObject {
    /// Receiver of the token and the pushes. Not kept alive by the registry.
    open weak var delegate: (any PKPushRegistryDelegate)?

    /// Types of pushes that the app takes. Setting it registers the app, and the delegate gets the credentials.
    open var desiredPushTypes: Set<PKPushType>? {
        didSet { if desiredPushTypes?.contains(.voIP) == true { system?.register(self) } }
    }

    package let queue: DispatchQueue
    private let system: (any PushSystem)?

    /// Creates a registry.
    ///
    /// - Parameter queue: Delegate's queue; `nil` is the main queue.
    public init(queue: DispatchQueue?) {
        self.queue = queue ?? .main
        system = CurrentPushSystem.current
        super.init()
    }

    /// The token for pushes of a type; `nil` before there is one.
    open func pushToken(for type: PKPushType) -> Data? {
        type == .voIP && desiredPushTypes?.contains(.voIP) == true ? system?.voIPToken : nil
    }
}

/// Registry's calls to the app, on the registry's queue.
///
/// Apple's optional methods have an implementation here that does nothing.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    /// New token, which the app passes to its server.
    func pushRegistry(
        _ registry: PKPushRegistry,
        didUpdate pushCredentials: PKPushCredentials,
        for type: PKPushType
    )

    /// A push arrived. A `voIP` push has to be reported to CallKit before this returns, or the system ends the app;
    /// after repeated failures the app may get no more of them.
    ///
    /// - Parameters:
    ///   - registry: The registry that this is the delegate of.
    ///   - payload: The push's.
    ///   - type: `voIP` here.
    ///   - completion: To be called once the push is handled.
    /// - Source:
    ///   https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate/pushregistry(_:didreceiveincomingpushwith:for:completion:)
    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    )

    /// The token is no longer valid.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    /// Does nothing, like a missing optional method: no call is reported either.
    public func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {}

    /// Does nothing, like a missing optional method.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
