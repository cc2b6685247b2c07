package import APNSProvider
package import APNSSimulator

/// One call of a schedule to its client, with one notification or many.
package struct ScheduledCall: Sendable {
    /// Which of the client's own calls.
    package enum Form: Sendable, Equatable {
        case send, trySend
        /// The results come in the notifications' order.
        case batch
        /// The answers come in an order of their own.
        case responses(inFlightMax: Int)
    }

    package let form: Form
    package let notifications: [PushNotification]
    /// Cancelled so long after it began; nil: it may end.
    package let cancelDelay: Duration?
    /// On the client's loop, or as an application's tasks do it, from other threads.
    package let isPinned: Bool

    /// All of `notifications`, in calls by chance.
    package static func calls(for notifications: [PushNotification], _ dice: inout SeededDice) -> [ScheduledCall] {
        var calls: [ScheduledCall] = []
        var rest = notifications[...]
        while !rest.isEmpty {
            let call = ScheduledCall(of: rest, &dice)
            rest = rest.dropFirst(call.notifications.count)
            calls.append(call)
        }
        return calls
    }

    private init(of rest: ArraySlice<PushNotification>, _ dice: inout SeededDice) {
        let countMax: Int
        switch Int.random(in: 0..<12, using: &dice) {
        case 0..<7: (form, countMax) = (.send, 1)
        case 7..<10: (form, countMax) = (.trySend, 1)
        case 10: (form, countMax) = (.batch, Int.random(in: 2...12, using: &dice))
        default:
            (form, countMax) = (.responses(inFlightMax: dice.pick(1, 4, 1000)), Int.random(in: 2...16, using: &dice))
        }
        notifications = Array(rest.prefix(countMax))
        // As many notifications of each form.
        let isCancelled = dice.isTrue(countMax == 1 ? 0.02 : 0.1)
        cancelDelay = isCancelled ? dice.milliseconds(0...32) : nil
        isPinned = dice.isTrue(0.75)
    }
}
