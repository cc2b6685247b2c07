import Platform

struct PendingDelivery: Sendable {
    typealias Machine = DeliveryMachine<NotificationContent>

    /// Called once, outside every lock: foreign code may block or call back. Unchecked: iOS allows any thread, and one
    /// owner takes it out of the delivery.
    struct Handler: @unchecked Sendable {
        let call: (NotificationContent) -> Void
    }

    let push: IncomingPush
    var machine: Machine
    var handler: Handler?
    /// Device of arrival, for work on any thread.
    let device = DeviceBinding()
    var deadline: Deadline?
    var fetching: Task<Void, Never>?
    var slice: Task<Void, Never>?
    /// Keeps the process running from before the answer to the end of its work.
    var activity: ExpiringActivity?

    enum Deadline: Sendable {
        case task(Task<Void, Never>)
        case alarm(UInt64)

        func cancel() {
            switch self {
            case .task(let task): task.cancel()
            case .alarm(let number): AlarmClock.ofProcess.callOff(number)
            }
        }
    }

    init(
        _ push: IncomingPush,
        neutral: NotificationContent,
        handler: @escaping (NotificationContent) -> Void
    ) {
        self.push = push
        machine = DeliveryMachine(neutral: neutral)
        self.handler = Handler(call: handler)
    }
}

/// Pushes in progress.
struct PendingDeliveries: Sendable {
    /// More than iOS has in flight.
    static let countMax = 256

    private var deliveries: [UInt64: PendingDelivery] = [:]
    private var nextNumber: UInt64 = 0

    /// Oldest first.
    var numbers: [UInt64] { deliveries.keys.sorted() }

    subscript(number: UInt64) -> PendingDelivery? {
        get { deliveries[number] }
        _modify { yield &deliveries[number] }
    }

    /// - Returns: its number; nil beyond the limit.
    mutating func add(_ delivery: PendingDelivery) -> UInt64? {
        guard deliveries.count < Self.countMax else { return nil }
        defer { nextNumber += 1 }
        deliveries[nextNumber] = delivery
        return nextNumber
    }

    /// Ignores events of ended deliveries.
    mutating func handle(
        _ event: PendingDelivery.Machine.Event,
        for number: UInt64
    ) -> [PendingDelivery.Machine.Action] {
        deliveries[number]?.machine.handle(event) ?? []
    }
}
