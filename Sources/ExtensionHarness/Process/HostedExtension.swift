internal import Platform
internal import UserNotifications

/// Extension in its own process: calls it on the device's orders, and reports its answers.
final class HostedExtension: Sendable {
    private struct Served {
        var principal: Principal?
        var openCallCount = 1
        var isAnswered = false
    }

    private let channel: HostChannel
    private let screen: HostScreen
    private let makeExtension: @Sendable () -> UNNotificationServiceExtension
    private let served = Guarded<[Int: Served]>([:])
    private let reused = Guarded<Principal?>(nil)
    private let device = Guarded<HostDevice?>(nil)
    private let activities: HostActivities

    init(channel: HostChannel, makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) {
        self.channel = channel
        screen = HostScreen(channel)
        activities = HostActivities(channel)
        self.makeExtension = makeExtension
    }

    func serve() {
        CurrentNotificationSystem.occupyProcess(with: screen)
        while let order = channel.nextOrder() {
            switch order {
            case .deliver(let delivery): deliver(delivery)
            case .expire(let number): expire(number)
            case .change(let change): device.withLock { $0 }?.apply(change)
            case .expireActivities: activities.expire()
            }
        }
    }

    private func deliver(_ delivery: HostDelivery) {
        guard let push = SimulatedPush(userInfo: delivery.userInfo, identifier: delivery.identifier) else { return }
        let alertText = AlertText(title: delivery.title, subtitle: delivery.subtitle, body: delivery.body)
        let device = HostDevice(delivery.conditions, activities: activities)
        device.occupyProcess()
        screen.update(delivery.screen)
        self.device.withLock { $0 = device }
        let number = delivery.number
        served.withLock { $0[number] = Served() }
        call(number, named: "didReceive") { [self] in
            let principal = principal(reusesObject: delivery.reusesObject)
            served.withLock { $0[number]?.principal = principal }
            principal.object.didReceive(push.makeRequest(alertText)) { [self] content in
                // Copied on the extension's thread: it may change its object later.
                channel.send(.answered(number, ShownContent(content)))
                served.withLock { $0[number]?.isAnswered = true }
                forgetIfDone(number)
            }
        }
    }

    private func expire(_ number: Int) {
        served.withLock { $0[number]?.openCallCount += 1 }
        call(number, named: "timeWillExpire") { [self] in
            // Its initializer may still be running; iOS has nothing to call then either.
            served.withLock { $0[number]?.principal }?.object.serviceExtensionTimeWillExpire()
        }
    }

    private func call(_ number: Int, named name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            body()
            channel.send(.returned(number))
            served.withLock { $0[number]?.openCallCount -= 1 }
            forgetIfDone(number)
        }
        thread.name = name
        thread.start()
    }

    /// Releases the object when iOS would, so that its `deinit` is observed.
    private func forgetIfDone(_ number: Int) {
        let last = served.withLock { served in
            guard let push = served[number], push.isAnswered, push.openCallCount == 0 else { return Served?.none }
            return served.removeValue(forKey: number)
        }
        // Outside of the lock: an extension's `deinit` may do anything.
        withExtendedLifetime(last) {}
    }

    private func principal(reusesObject: Bool) -> Principal {
        guard reusesObject else { return Principal(object: makeExtension()) }
        return reused.withLock { reused in
            let principal = reused ?? Principal(object: makeExtension())
            reused = principal
            return principal
        }
    }
}
