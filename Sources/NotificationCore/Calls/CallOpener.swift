package import Envelope
import Keys
public import Opening
import Primitives

/// Opens the calls that PushKit hands to an app. Total: whatever came, there is a call to report, because iOS ends an app
/// that is woken by a VoIP push and reports none (Apple, "pushRegistry(_:didReceiveIncomingPushWith:for:completion:)").
///
///     let call = opener.open(payload.dictionaryPayload)
///     provider.reportNewIncomingCall(with: UUID(uuid: call.uuid), update: …) { error in
///         if error == nil, call.ending != nil { provider.reportCall(with: UUID(uuid: call.uuid), endedAt: nil, …) }
///     }
///     opener.didReport(call)
///
/// `Sources/IncomingCalls/IncomingCalls.swift` is the whole of it, for an app to copy. Call it in the delegate's method and
/// on its queue: the call has to be reported before that method returns.
public struct CallOpener: Sendable {
    private let container: SharedContainer?
    private let appName: String
    private let policy: OpeningPolicy
    private let keepsReceipts: Bool

    /// - Parameters:
    ///   - containerPath: the folder of the app group, as in `AppDevice.Settings`; nil where there is none, and then
    ///     nothing can be opened.
    ///   - appName: shown as the caller where nothing opened, and where the caller has no name. Not empty.
    ///   - policy: as in `AppDevice.Settings`.
    ///   - keepsReceipts: whether a receipt that a call asks for is kept for the app to send, as in `AppDevice.Settings`.
    public init(
        containerPath: String?,
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false
    ) {
        self.init(
            container: containerPath.map { SharedContainer(path: $0) },
            appName: appName,
            policy: policy,
            keepsReceipts: keepsReceipts
        )
    }

    package init(
        container: SharedContainer?,
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false
    ) {
        precondition(!appName.isEmpty, "a call without a name is shown as unknown")
        self.container = container
        self.appName = appName
        self.policy = policy
        self.keepsReceipts = keepsReceipts
    }

    /// Opens a call that arrives now. It waits for the disk, some milliseconds, and for nothing else.
    ///
    /// - Parameter payload: `payload.dictionaryPayload`, whatever is in it.
    /// - Returns: what to report. A message's receipt is on disk by then, where receipts are kept.
    public func open(_ payload: [AnyHashable: Any]) -> IncomingCall { open(payload, now: .now) }

    package func open(_ payload: [AnyHashable: Any], now: Timestamp) -> IncomingCall {
        // Read for every push: the app may have rotated its keys since the last one.
        let opener = PushOpener(container: container, policy: policy, opensWebPush: false, pushClass: .voip)
        let push = IncomingPush(userInfo: payload)
        let opened = opener.open(push, now: now)
        let call = IncomingCall(opened, push: push, appName: appName)
        if call.ending == nil, keepsReceipts { keepReceipt(of: call, now: now) }
        container?.keepMarker(of: push, opened.outcome.kind, now: now)
        return call
    }

    /// Tells the replay window that the call was reported. To be called once CallKit has the call. Without it the same call,
    /// should it come again, is a replay all the same: a call rings once.
    ///
    /// - Parameter call: what was reported.
    public func didReport(_ call: IncomingCall) {
        guard let container else { return }
        // The call was reported; whatever fails from here on costs a count.
        if let claim = call.claim, let window = container.window {
            do throws(ReplayWindowError) { try window.commit(claim) } catch {}
        }
        container.outcomeCounters.add(call.kind)
    }

    /// Of what did not ring none is kept: its sender would take the call for one that reached somebody.
    private func keepReceipt(of call: IncomingCall, now: Timestamp) {
        guard let container, case .opened(let opened) = call.outcome, let capability = opened.message.receipt else {
            return
        }
        var random = SystemRandom()
        // Not kept, it is not sent: its absence says nothing.
        do throws(ContainerError) {
            try container.receipts.add(DeliveryReceipt(capability: capability), now: now, random: &random)
        } catch {}
    }
}
