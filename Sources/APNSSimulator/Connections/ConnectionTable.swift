/// Connected providers. Lives on the loop.
final class ConnectionTable {
    private var limiter: ReconnectLimiter
    private let onEvent: ((ConnectionEvent) -> Void)?
    private var handlers: [Int: PushHandler] = [:]
    private var lastNumber = 0

    init(_ rules: ConnectionRules, onEvent: ((ConnectionEvent) -> Void)?) {
        limiter = ReconnectLimiter(rules)
        self.onEvent = onEvent
    }

    func adopt(_ rules: ConnectionRules) { limiter.adopt(rules) }

    func admit(_ address: String, now: Int64) -> Bool {
        let isAdmitted = limiter.admit(address, now: now)
        if !isAdmitted { onEvent?(.turnedAway) }
        return isAdmitted
    }

    func add(_ handler: PushHandler) -> Int {
        lastNumber += 1
        handlers[lastNumber] = handler
        onEvent?(.opened(lastNumber))
        return lastNumber
    }

    func remove(_ number: Int, _ tally: ConnectionTally) {
        handlers[number] = nil
        onEvent?(.closed(number, tally))
    }

    func report(_ event: ConnectionEvent) {
        onEvent?(event)
    }

    var numbers: [Int] { handlers.keys.sorted() }

    func dismiss(_ number: Int?, reason: String) {
        for (each, handler) in handlers where number == nil || number == each {
            handler.dismiss(reason: reason)
            onEvent?(.dismissed(each, reason: reason))
        }
    }
}
