import Platform

/// A push that an extension is at: how far it is, whom to answer, and what runs for it.
struct PendingDelivery: Sendable {
    typealias Machine = DeliveryMachine<NotificationContent>

    /// Called once, outside every lock: it is a stranger's code and may take its time, or call back.
    ///
    /// Unchecked: iOS hands it over to be called from any thread, and whoever takes it out of the delivery has it alone.
    struct Handler: @unchecked Sendable {
        let call: (NotificationContent) -> Void
    }

    let push: IncomingPush
    var machine: Machine
    var handler: Handler?
    /// Where the push arrived; what is done for it is done there, on whatever thread.
    let device = DeviceBinding()
    /// Ends everything.
    var deadline: Deadline?
    var fetching: Task<Void, Never>?
    /// Ends the fetching.
    var slice: Task<Void, Never>?
    /// Keeps the process running from before the answer to the end of what follows it.
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

/// The pushes that one extension is at.
struct PendingDeliveries: Sendable {
    /// More than iOS ever has in flight.
    static let countMax = 256

    private var deliveries: [UInt64: PendingDelivery] = [:]
    private var nextNumber: UInt64 = 0

    /// Oldest first.
    var numbers: [UInt64] { deliveries.keys.sorted() }

    subscript(number: UInt64) -> PendingDelivery? {
        get { deliveries[number] }
        _modify { yield &deliveries[number] }
    }

    /// - Returns: what it is called here; nil where there are too many.
    mutating func add(_ delivery: PendingDelivery) -> UInt64? {
        guard deliveries.count < Self.countMax else { return nil }
        defer { nextNumber += 1 }
        deliveries[nextNumber] = delivery
        return nextNumber
    }

    /// A delivery that is over takes no more events.
    mutating func handle(
        _ event: PendingDelivery.Machine.Event,
        for number: UInt64
    ) -> [PendingDelivery.Machine.Action] {
        deliveries[number]?.machine.handle(event) ?? []
    }
}
