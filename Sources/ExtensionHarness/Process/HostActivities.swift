internal import Platform
internal import UserNotifications

/// The expiring activities of an extension's process: tells the device of each, and each when its time is over.
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

    /// - Parameter expired: called when the time is over.
    /// - Returns: what ends the activity; a second call of it does nothing.
    func begin(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.expired[state.nextNumber] = expired
            return state.nextNumber
        }
        // The device knows of it before the extension answers.
        channel.send(.activityBegan)
        return { [self] in
            guard state.withLock({ $0.expired.removeValue(forKey: number) }) != nil else { return }
            channel.send(.activityEnded)
        }
    }

    /// On a thread of its own: it is code of the extension's.
    func expire() {
        let due = state.withLock { Array($0.expired.values) }
        let thread = Thread { for expired in due { expired() } }
        thread.name = "activityExpired"
        thread.start()
    }
}
