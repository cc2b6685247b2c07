import CallKit
import NotificationCore
import PushKit

/// Opens the calls that PushKit delivers and reports them to CallKit. Xcode and Linux compile this file unchanged. An
/// app copies it.
///
/// An app makes one at launch, and keeps it: iOS launches an app for a call, and ends it unless a call was reported
/// before the delegate's method returns. The app's own `CXProviderDelegate` gets the caller's text from `call(_:)` when
/// the person answers.
///
/// Unchecked: the changing state is behind a lock, and a provider takes reports from any thread.
final class IncomingCalls: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    private let opener: CallOpener
    private let provider: CXProvider
    private let onToken: (Data?) -> Void
    private let registry = PKPushRegistry(queue: .main)
    private let lock = NSLock()
    private var calls: [UUID: String] = [:]

    /// - Parameters:
    ///   - opener: Made with the container and policy of the app's `AppDevice`.
    ///   - provider: The app's, whose delegate answers and ends calls.
    ///   - onToken: Takes PushKit's token to the app's server, as `voip-token`; nil once it is no longer valid.
    init(opener: CallOpener, provider: CXProvider, onToken: @escaping (Data?) -> Void) {
        self.opener = opener
        self.provider = provider
        self.onToken = onToken
        super.init()
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    /// Removes and returns the caller's text.
    ///
    /// - Parameter id: Id of the `CXAnswerCallAction` or `CXEndCallAction`.
    /// - Returns: Nil for an unknown call or a second query.
    func call(_ id: UUID) -> String? { lock.withLock { calls.removeValue(forKey: id) } }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didUpdate pushCredentials: PKPushCredentials,
        for type: PKPushType
    ) {
        onToken(pushCredentials.token)
    }

    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) { onToken(nil) }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let call = opener.open(payload.dictionaryPayload)
        let id = UUID(uuid: call.uuid)
        if let text = call.call { lock.withLock { calls[id] = text } }
        let update = CXCallUpdate()
        update.localizedCallerName = call.name
        update.remoteHandle = CXHandle(type: .generic, value: call.handle)
        let completion = Completion(call: completion)
        provider.reportNewIncomingCall(with: id, update: update) { [self] error in
            // A Focus, for example, has filtered the call: it will not be answered.
            if error != nil, call.ending == nil { _ = self.call(id) }
            // A report refused because the call already rings is a repetition: that call must continue.
            if error == nil, let ending = call.ending {
                provider.reportCall(with: id, endedAt: nil, reason: ending == .unanswered ? .unanswered : .failed)
            }
            opener.didReport(call)
            completion.call()
        }
    }
}

/// PushKit's completion, passed into CallKit's.
///
/// Unchecked: PushKit does not say which thread calls it.
private struct Completion: @unchecked Sendable {
    let call: () -> Void
}
