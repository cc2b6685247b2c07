internal import CallKit
import Platform
internal import PushKit
internal import UserNotifications

/// Phone's call system, behind `PKPushRegistry`, `CXProvider` and `UNUserNotificationCenter`.
final class CallCenter: PushSystem, CallSystem {
    private struct State {
        var registry: RegistryReference?
        var calls: [(call: ReportedCall, provider: ProviderReference)] = []
        var onReport: (@Sendable (ReportedCall) -> Void)?
    }

    let voIPToken: Data
    private let state = Guarded(State())
    private let screen: Screen

    init(screen: Screen) {
        self.screen = screen
        var random = SystemRandomNumberGenerator()
        voIPToken = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// App's VoIP registry, if it has one.
    var registry: RegistryReference? {
        state.withLock { $0.registry }.flatMap { $0.object == nil ? nil : $0 }
    }

    var calls: [ReportedCall] { state.withLock { $0.calls.map(\.call).filter { !$0.state.isOver } } }

    /// Current state of the reported calls; unknown ones come back unchanged.
    func calls(_ reported: [ReportedCall]) -> [ReportedCall] {
        state.withLock { state in
            reported.map { reported in
                // A refused report has the id of the existing call.
                if case .refused = reported.state { return reported }
                return state.calls.last { $0.call.id == reported.id }?.call ?? reported
            }
        }
    }

    func setReportHandler(_ handler: (@Sendable (ReportedCall) -> Void)?) { state.withLock { $0.onReport = handler } }

    func forgetApp() { state.withLock { $0 = State(onReport: $0.onReport) } }

    func register(_ registry: PKPushRegistry) {
        let reference = RegistryReference(object: registry)
        state.withLock { $0.registry = reference }
        registry.queue.async(
            execute: DeviceBinding().job { [voIPToken] in
                guard let registry = reference.object else { return }
                let credentials = PKPushCredentials(type: .voIP, token: voIPToken)
                registry.delegate?.pushRegistry(registry, didUpdate: credentials, for: .voIP)
            }
        )
    }

    func reportNewIncomingCall(
        _ id: UUID,
        _ update: CXCallUpdate,
        _ provider: CXProvider
    ) -> CXErrorCodeIncomingCallError.Code? {
        let provider = ProviderReference(object: provider)
        let (call, handler) = state.withLock { state in
            let isThere = state.calls.contains { $0.call.id == id && !$0.call.state.isOver }
            let call = ReportedCall(id, update, state: isThere ? .refused(.callUUIDAlreadyExists) : .ringing)
            if !isThere { state.calls.append((call, provider)) }
            return (call, state.onReport)
        }
        handler?(call)
        if case .refused(let code) = call.state { return code }
        return nil
    }

    func reportCall(_ id: UUID, updated update: CXCallUpdate) { change(id) { $0.take(update) } }

    func reportCall(_ id: UUID, ended reason: CXCallEndedReason) { change(id) { $0.state = .ended(reason) } }

    /// Applies a change by the person.
    ///
    /// - Returns: nil without such a call.
    func personChanges(_ id: UUID, to newState: ReportedCall.State) -> ProviderReference? {
        change(id) { $0.state = newState }
    }

    @discardableResult
    private func change(_ id: UUID, _ change: (inout ReportedCall) -> Void) -> ProviderReference? {
        state.withLock { state in
            guard let index = state.calls.lastIndex(where: { $0.call.id == id && !$0.call.state.isOver }) else {
                return nil
            }
            change(&state.calls[index].call)
            return state.calls[index].provider
        }
    }
}

extension CallCenter: NotificationSystem {
    var settings: UNNotificationSettings.Values { screen.settings }
    func deliveredNotifications() -> [UNNotification] { screen.deliveredNotifications() }
    func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        screen.removeDeliveredNotifications(withIdentifiers: identifiers)
    }
    func removeAllDeliveredNotifications() { screen.removeAllDeliveredNotifications() }
    func setBadgeCount(_ count: Int) { screen.setBadgeCount(count) }
    func add(_ request: UNNotificationRequest, at date: Date) throws(UNError) { try screen.add(request, at: date) }
    func pendingNotificationRequests() -> [UNNotificationRequest] { screen.pendingNotificationRequests() }
    func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        screen.removePendingNotificationRequests(withIdentifiers: identifiers)
    }
    func removeAllPendingNotificationRequests() { screen.removeAllPendingNotificationRequests() }
    var categories: [UNNotificationCategory.Description] { screen.categories }
    func setCategories(_ categories: [UNNotificationCategory.Description]) { screen.setCategories(categories) }
    func donate(_ communication: Communication) { screen.donate(communication) }
}

/// Unchecked: used only on the registry's own queue, as PushKit does.
struct RegistryReference: @unchecked Sendable {
    private(set) weak var object: PKPushRegistry?
}

/// Unchecked: the members used here do not change once the app has set its delegate.
struct ProviderReference: @unchecked Sendable {
    let object: CXProvider
}
