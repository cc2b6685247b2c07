internal import Platform
internal import UserNotifications

/// Expiring activities of an extension's process: reported to the device, expired in time.
final class HostActivities: Sendable {
    private struct State: Sendable {
        var nextNumber = 0
        var expired: [Int: @Sendable () -> Void] = [:]
    }

    private let channel: HostChannel
    private let state = Guarded(State())

    init(_ channel: HostChannel) {
        self.channel = channel
    }

    func begin(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.expired[state.nextNumber] = expired
            return state.nextNumber
        }
        // Sent before the extension can answer.
        channel.send(.activityBegan)
        return { [self] in
            guard state.withLock({ $0.expired.removeValue(forKey: number) }) != nil else { return }
            channel.send(.activityEnded)
        }
    }

    /// Calls the extension's code, so on a new thread.
    func expire() {
        let due = state.withLock { Array($0.expired.values) }
        let thread = Thread { for expired in due { expired() } }
        thread.name = "activityExpired"
        thread.start()
    }
}
