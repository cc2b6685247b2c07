import CallKit
import NotificationCore
import PushKit

/// Takes the calls that PushKit hands to the app, opens them and has CallKit ring. Xcode compiles this file as it is; so does
/// Linux. An app copies it.
///
/// An app makes one as soon as it is launched, and keeps it: iOS launches an app for a call, and ends it unless a call was
/// reported before the delegate's method returns. The app's `CXProviderDelegate` is its own; `call(_:)` gives it what the
/// caller handed over, when the person answers.
///
/// Unchecked: what changes is behind a lock, and a provider takes reports from any thread.
final class IncomingCalls: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    private let opener: CallOpener
    private let provider: CXProvider
    private let onToken: (Data?) -> Void
    private let registry = PKPushRegistry(queue: .main)
    private let lock = NSLock()
    private var calls: [UUID: String] = [:]

    /// - Parameters:
    ///   - opener: Of the container and the policy that the app's `AppDevice` has.
    ///   - provider: The app's, whose delegate answers and ends calls.
    ///   - onToken: Takes PushKit's token to the app's server, as `voip-token`; nil when it is good no more.
    init(opener: CallOpener, provider: CXProvider, onToken: @escaping (Data?) -> Void) {
        self.opener = opener
        self.provider = provider
        self.onToken = onToken
        super.init()
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    /// What the caller handed over, once.
    ///
    /// - Parameter id: Of the `CXAnswerCallAction`, or of the `CXEndCallAction`.
    /// - Returns: nil for a call that was asked for before, or that there is none of.
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
            // A Focus, say: nobody will answer.
            if error != nil, call.ending == nil { _ = self.call(id) }
            // A report that was refused because the call rings already is a repetition: that call must go on.
            if error == nil, let ending = call.ending {
                provider.reportCall(with: id, endedAt: nil, reason: ending == .unanswered ? .unanswered : .failed)
            }
            opener.didReport(call)
            completion.call()
        }
    }
}

/// PushKit's completion, on its way into CallKit's.
///
/// Unchecked: PushKit does not say which thread calls it.
private struct Completion: @unchecked Sendable {
    let call: () -> Void
}
