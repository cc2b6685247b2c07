internal import Platform

/// App's interface to the system for its calls.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxprovider
open class CXProvider: NSObject {
    /// App's constants.
    open var configuration: CXProviderConfiguration

    private let system: (any CallSystem)?
    package private(set) weak var delegate: (any CXProviderDelegate)?
    package private(set) var queue = DispatchQueue.main

    /// Creates a provider.
    public init(configuration: CXProviderConfiguration) {
        self.configuration = configuration
        system = CurrentCallSystem.current
        super.init()
    }

    /// Sets the receiver of the person's actions.
    ///
    /// - Parameters:
    ///   - delegate: not retained.
    ///   - queue: for the delegate and the completions of reports; `nil` is the main queue.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        self.delegate = delegate
        self.queue = queue ?? .main
    }

    /// Reports an incoming call. The phone rings, unless the system refuses with an error.
    ///
    /// - Parameters:
    ///   - UUID: Call's id from now on.
    ///   - update: Copied.
    ///   - completion: Called on the delegate's queue, with a `CXErrorCodeIncomingCallError` if there is no new call.
    /// - Source:
    ///   https://developer.apple.com/documentation/callkit/cxprovider/reportnewincomingcall(with:update:completion:)
    open func reportNewIncomingCall(
        with UUID: UUID,
        update: CXCallUpdate,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let error = system.map { $0.reportNewIncomingCall(UUID, update, self) } ?? .unentitled
        queue.async(execute: DeviceBinding().job { completion(error.map { CXErrorCodeIncomingCallError($0) }) })
    }

    /// Reports new properties of a call.
    ///
    /// - Parameters:
    ///   - UUID: Call's id; an unknown one is ignored.
    ///   - update: Copied.
    open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {
        system?.reportCall(UUID, updated: update)
    }

    /// Reports that a call has ended, other than by the person.
    ///
    /// - Parameters:
    ///   - UUID: an unknown one is ignored.
    ///   - dateEnded: `nil` is now.
    ///   - endedReason: recorded with the end.
    open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        system?.reportCall(UUID, ended: endedReason)
    }
}
