package import Envelope
import Keys
public import Opening
import Primitives

/// Opens PushKit's calls. It always returns a call, because iOS ends an app that reports none for a VoIP push (Apple,
/// "pushRegistry(_:didReceiveIncomingPushWith:for:completion:)").
///
///     let call = opener.open(payload.dictionaryPayload)
///     provider.reportNewIncomingCall(with: UUID(uuid: call.uuid), update: …) { error in
///         if error == nil, call.ending != nil { provider.reportCall(with: UUID(uuid: call.uuid), endedAt: nil, …) }
///     }
///     opener.didReport(call)
///
/// Call it in the delegate's method, on its queue, and report before that returns.
/// `Sources/IncomingCalls/IncomingCalls.swift` has all of it, to copy.
public struct CallOpener: Sendable {
    private let container: SharedContainer?
    private let appName: String
    private let policy: OpeningPolicy
    private let keepsReceipts: Bool

    /// Creates an opener with the constants of `AppDevice.Settings`.
    ///
    /// - Parameters:
    ///   - containerPath: if nil, nothing opens.
    ///   - appName: caller's name if there is no other. Not empty.
    ///   - policy: the extension's too.
    ///   - keepsReceipts: as `AppDevice.Settings` has it.
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

    /// Opens a call on arrival. It waits some milliseconds for the disk.
    ///
    /// - Returns: call; its receipt is on disk if receipts are kept.
    public func open(_ payload: [AnyHashable: Any]) -> IncomingCall { open(payload, now: .now) }

    package func open(_ payload: [AnyHashable: Any], now: Timestamp) -> IncomingCall {
        let opener = PushOpener(container: container, policy: policy, opensWebPush: false, pushClass: .voip)
        let push = IncomingPush(userInfo: payload)
        let opened = opener.open(push, now: now)
        let call = IncomingCall(opened, push: push, appName: appName)
        if call.ending == nil, keepsReceipts { keepReceipt(of: call, now: now) }
        container?.keepMarker(of: push, opened.outcome.kind, now: now)
        return call
    }

    /// Commits the call to the replay window, once CallKit has it. Uncommitted, a repeated call is still a replay.
    public func didReport(_ call: IncomingCall) {
        guard let container else { return }
        // Later failures cost only a count.
        if let claim = call.claim, let window = container.window {
            do throws(ReplayWindowError) { try window.commit(claim) } catch {}
        }
        container.outcomeCounters.add(call.kind)
    }

    /// No receipt for a call that did not ring.
    private func keepReceipt(of call: IncomingCall, now: Timestamp) {
        guard let container, case .opened(let opened) = call.outcome, let capability = opened.message.receipt else {
            return
        }
        var random = SystemRandom()
        // A lost receipt proves nothing.
        do throws(ContainerError) {
            try container.receipts.add(DeliveryReceipt(capability: capability), now: now, random: &random)
        } catch {}
    }
}
