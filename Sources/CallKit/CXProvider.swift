internal import Platform

/// An app's voice to the system about its calls.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxprovider
open class CXProvider: NSObject {
    /// The app's constants.
    open var configuration: CXProviderConfiguration

    private let system: (any CallSystem)?
    package private(set) weak var delegate: (any CXProviderDelegate)?
    package private(set) var queue = DispatchQueue.main

    /// - Parameter configuration: The app's constants.
    public init(configuration: CXProviderConfiguration) {
        self.configuration = configuration
        system = CurrentCallSystem.current
        super.init()
    }

    /// Says what takes the person's actions, and where.
    ///
    /// - Parameters:
    ///   - delegate: Not kept alive by the provider.
    ///   - queue: Where the delegate and the completions of reports are called; `nil` is the main queue.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        self.delegate = delegate
        self.queue = queue ?? .main
    }

    /// Reports a call that comes in. The phone rings, unless the system has a reason not to, which comes as the error.
    ///
    /// - Parameters:
    ///   - UUID: The call's, from now on.
    ///   - update: What is known of it. Copied.
    ///   - completion: Called on the delegate's queue, with a `CXErrorCodeIncomingCallError` where there is no new call.
    /// - Source: https://developer.apple.com/documentation/callkit/cxprovider/reportnewincomingcall(with:update:completion:)
    open func reportNewIncomingCall(
        with UUID: UUID,
        update: CXCallUpdate,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let error = system.map { $0.reportNewIncomingCall(UUID, update, self) } ?? .unentitled
        queue.async(execute: DeviceBinding().job { completion(error.map { CXErrorCodeIncomingCallError($0) }) })
    }

    /// Reports what has become known of a call.
    ///
    /// - Parameters:
    ///   - UUID: The call's; one of no call is ignored.
    ///   - update: What is known of it now. Copied.
    open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {
        system?.reportCall(UUID, updated: update)
    }

    /// Reports that a call has ended, and not by the person.
    ///
    /// - Parameters:
    ///   - UUID: The call's; one of no call is ignored.
    ///   - dateEnded: `nil` is now.
    ///   - endedReason: Why.
    open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        system?.reportCall(UUID, ended: endedReason)
    }
}
