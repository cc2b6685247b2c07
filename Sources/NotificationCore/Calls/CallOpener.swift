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
    /// One for each account; empty without a folder.
    private let containers: [SharedContainer]
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
    ///   - accounts: the extension's too.
    public init(
        containerPath: String?,
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false,
        accounts: [AccountName] = []
    ) {
        self.init(
            containers: [SharedContainer](path: containerPath, accounts: accounts),
            appName: appName,
            policy: policy,
            keepsReceipts: keepsReceipts
        )
    }

    package init(
        containers: [SharedContainer],
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false
    ) {
        precondition(!appName.isEmpty, "a call without a name is shown as unknown")
        self.containers = containers
        self.appName = appName
        self.policy = policy
        self.keepsReceipts = keepsReceipts
    }

    /// Opens a call on arrival. It waits some milliseconds for the disk.
    ///
    /// - Returns: call; its receipt is on disk if receipts are kept.
    public func open(_ payload: [AnyHashable: Any]) -> IncomingCall { open(payload, now: .now) }

    package func open(_ payload: [AnyHashable: Any], now: Timestamp) -> IncomingCall {
        let push = IncomingPush(userInfo: payload)
        let container = containers.accounts(of: push).accounts.first
        let opener = PushOpener(container: container, policy: policy, opensWebPush: false, pushClass: .voip)
        let opened = opener.open(push, now: now)
        var call = IncomingCall(opened, push: push, appName: appName)
        call.account = container?.account
        if call.ending == nil, keepsReceipts { keepReceipt(of: call, now: now) }
        container?.keepMarker(of: push, opened.outcome.kind, now: now)
        return call
    }

    /// Commits the call to the replay window, once CallKit has it. Uncommitted, a repeated call is still a replay.
    public func didReport(_ call: IncomingCall) {
        guard let container = container(of: call) else { return }
        // Later failures cost only a count.
        if let claim = call.claim, let window = container.window {
            do throws(ReplayWindowError) { try window.commit(claim) } catch {}
        }
        container.outcomeCounters.add(call.kind)
    }

    private func container(of call: IncomingCall) -> SharedContainer? {
        containers.first { $0.account == call.account }
    }

    /// No receipt for a call that did not ring.
    private func keepReceipt(of call: IncomingCall, now: Timestamp) {
        guard let container = container(of: call), case .opened(let opened) = call.outcome,
            let capability = opened.message.receipt
        else { return }
        // A lost receipt proves nothing.
        do throws(ContainerError) {
            try container.receipts.add(DeliveryReceipt(capability: capability), now: now)
        } catch {}
    }
}
