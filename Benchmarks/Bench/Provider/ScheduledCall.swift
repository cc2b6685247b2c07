package import APNSProvider
package import APNSSimulator

/// One call of a schedule to its client, with one notification or many.
package struct ScheduledCall: Sendable {
    package enum Form: Sendable, Equatable {
        case send, trySend
        /// Results come in the notifications' order.
        case batch
        /// Answers come in order of arrival.
        case responses(inFlightMax: Int)
    }

    package let form: Form
    package let notifications: [PushNotification]
    /// Time until it is cancelled; nil lets it end.
    package let cancelDelay: Duration?
    /// True on the client's loop; false on other threads, as in an application.
    package let isPinned: Bool

    /// Splits `notifications` into random calls.
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
        // Balanced, so that as many notifications of each form are cancelled.
        let isCancelled = dice.isTrue(countMax == 1 ? 0.02 : 0.1)
        cancelDelay = isCancelled ? dice.milliseconds(0...32) : nil
        isPinned = dice.isTrue(0.75)
    }
}
