import APNS
import DeviceLink

/// Delivery to one app on one device.
///
/// Offline, only the newest push is stored. Online, low-priority pushes may be grouped, and one background push may
/// wait for the app's budget.
///
/// - Source: "Sending notification requests to APNs", on storing, priorities and `apns-expiration`; "Pushing background
///   updates to your App".
struct DeliveryPath {
    /// Above it a device counts as busy, and pushes are stored.
    static let unacknowledgedCountMax = 64

    let installation: UInt32
    let device: Int
    private(set) var connection: DeliveryEffect.ConnectionID?
    private var state: DeviceState = []
    private var onTheWay: [AcceptedItem] = []
    private var stored: AcceptedItem?
    /// Newest background push above the budget.
    private var held: AcceptedItem?
    private var group: [AcceptedItem] = []
    private var groupEnd = Int64.max
    private var rhythm = DeviceRhythm()
    /// First delivery that failed because the app was gone.
    private var goneSince: Int64?
    /// Time at which to report it.
    private var goneIsTold = Int64.max
    /// Time of the pending `wake`.
    var alarm = Int64.max

    var waitingCount: Int { (stored == nil ? 0 : 1) + (held == nil ? 0 : 1) }

    init(installation: UInt32, device: Int) {
        self.installation = installation
        self.device = device
    }

    // MARK: Device

    mutating func connect(
        _ connection: DeliveryEffect.ConnectionID,
        _ state: DeviceState,
        _ context: inout DeliveryContext
    ) {
        self.connection = connection
        self.state = state
        forgetThatItIsGone()
        context.perform(.happened(.connected(device: device)))
        deliverStored(&context)
    }

    mutating func disconnect(_ context: inout DeliveryContext) {
        connection = nil
        state = []
        context.perform(.happened(.disconnected(device: device)))
        for item in takeAll(withStored: false, withUnacknowledged: true) { keep(item, .offline, &context) }
    }

    mutating func change(to state: DeviceState, _ context: inout DeliveryContext) {
        let changed = self.state.symmetricDifference(state)
        self.state = state
        forgetThatItIsGone()
        // A Focus changes the presentation, not the delivery.
        guard !changed.subtracting(.focus).isEmpty else { return }
        for item in takeAll(withStored: hasRoom, withUnacknowledged: false) { route(item, &context) }
    }

    mutating func drop(_ context: inout DeliveryContext) {
        goneSince = nil
        goneIsTold = .max
        for item in takeAll(withStored: true, withUnacknowledged: false) {
            context.discarded(item, .tokenInactive, device: device)
        }
    }

    mutating func acknowledge(_ id: APNSID, _ context: inout DeliveryContext) {
        guard let index = onTheWay.firstIndex(where: { $0.push.id == id }) else { return }
        context.delivered(onTheWay.remove(at: index), device: device)
        deliverStored(&context)
    }

    private mutating func forgetThatItIsGone() {
        guard !state.contains(.appRemoved) else { return }
        goneSince = nil
        goneIsTold = .max
    }

    // MARK: Pushes

    mutating func route(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        guard connection != nil else { return keep(item, .offline, &context) }
        guard !state.contains(.appRemoved) else { return fail(item, &context) }
        switch item.push.pushType {
        case .alert:
            guard !state.contains(.notificationsOff) else {
                return context.discarded(item, .notificationsOff, device: device)
            }
        case .background:
            guard !state.contains(.lowPower) else { return context.discarded(item, .lowPower, device: device) }
            guard !state.contains(.appRunning) else { return context.discarded(item, .appRunning, device: device) }
            guard rhythm.allowsBackground(&context) else { return hold(item, &context) }
        default: break
        }
        if isGathered(item, context.settings.grouping) { join(item, &context) } else { send(item, &context) }
    }

    private func isGathered(_ item: AcceptedItem, _ grouping: DeliverySettings.Grouping) -> Bool {
        // Background pushes have their own budget.
        guard item.push.priority != .immediate, item.push.pushType != .background else { return false }
        switch grouping {
        case .never: return false
        case .lowPower: return state.contains(.lowPower)
        case .always: return true
        }
    }

    private var hasRoom: Bool { onTheWay.count < Self.unacknowledgedCountMax }

    private mutating func send(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        guard let connection, hasRoom else { return keep(item, .unacknowledged, &context) }
        var item = item
        item.isStored = false
        item.push.presentation = rhythm.presentation(of: item.push, state, &context)
        onTheWay.append(item)
        if item.push.pushType == .background { rhythm.noteBackground(at: context.now) }
        context.perform(.send(item.push, connection))
    }

    private mutating func fail(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        context.discarded(item, .appRemoved, device: device)
        guard goneSince == nil else { return }
        goneSince = context.now
        goneIsTold = context.now + context.invalidationDelay()
        reportGone(&context)
    }

    private mutating func reportGone(_ context: inout DeliveryContext) {
        guard let goneSince, goneIsTold <= context.now else { return }
        goneIsTold = .max
        context.appIsGone(installation, atMilliseconds: goneSince)
    }

    // MARK: Waiting

    /// Keeps one push of any collapse id, the newer unless reordering is simulated.
    private mutating func keep(_ item: AcceptedItem, _ reason: StoredReason, _ context: inout DeliveryContext) {
        guard let item = waiting(item, &context) else { return }
        guard let other = stored else { return stored = store(item, reason, &context) }
        let isNewer = (item.number > other.number) != context.swaps(item, other)
        guard isNewer else { return context.replaced(item, by: other, device: device) }
        context.replaced(other, by: item, device: device)
        stored = store(item, reason, &context)
    }

    private mutating func hold(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        guard let item = waiting(item, &context) else { return }
        if let held { context.replaced(held, by: item, device: device) }
        held = store(item, .backgroundBudget, &context)
    }

    private mutating func join(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        guard let item = waiting(item, &context) else { return }
        if group.isEmpty { groupEnd = context.now + context.settings.groupSeconds * 1000 }
        group.append(store(item, .power, &context))
        if group.count >= context.settings.groupCountMax { sendGroup(&context) }
    }

    /// Returns the item if it may wait, else discards it.
    private func waiting(_ item: AcceptedItem, _ context: inout DeliveryContext) -> AcceptedItem? {
        if item.mayWait(at: context.now) { return item }
        context.discarded(item, item.isStored ? .expired : .mayNotWait, device: device)
        return nil
    }

    private func store(
        _ item: AcceptedItem,
        _ reason: StoredReason,
        _ context: inout DeliveryContext
    ) -> AcceptedItem {
        var item = item
        if !item.isStored { context.stored(item, reason, device: device) }
        item.isStored = true
        return item
    }

    private mutating func deliverStored(_ context: inout DeliveryContext) {
        guard hasRoom, let item = stored else { return }
        stored = nil
        release(item, &context)
    }

    private mutating func release(_ item: AcceptedItem, _ context: inout DeliveryContext) {
        guard let item = waiting(item, &context) else { return }
        route(item, &context)
    }

    private mutating func sendGroup(_ context: inout DeliveryContext) {
        let items = group
        group = []
        groupEnd = .max
        for item in context.ordered(items) {
            guard let item = waiting(item, &context) else { continue }
            send(item, &context)
        }
    }

    /// Takes undelivered pushes, in order of acceptance.
    private mutating func takeAll(withStored: Bool, withUnacknowledged: Bool) -> [AcceptedItem] {
        var items = group
        group = []
        groupEnd = .max
        if let held { items.append(held) }
        held = nil
        if withStored, let stored {
            items.append(stored)
            self.stored = nil
        }
        if withUnacknowledged {
            items += onTheWay
            onTheWay = []
        }
        return items.sorted { $0.number < $1.number }
    }

    // MARK: Time

    mutating func wake(_ context: inout DeliveryContext) {
        let now = context.now
        if let item = stored, !item.mayWait(at: now) {
            stored = nil
            context.discarded(item, .expired, device: device)
        }
        for item in group where !item.mayWait(at: now) { context.discarded(item, .expired, device: device) }
        group.removeAll { !$0.mayWait(at: now) }
        if group.isEmpty { groupEnd = .max }
        if groupEnd <= now { sendGroup(&context) }
        if let item = held, !item.mayWait(at: now) || rhythm.allowsBackground(&context) {
            held = nil
            release(item, &context)
        }
        reportGone(&context)
    }

    func nextWakeUp(_ context: DeliveryContext) -> Int64 {
        var next = min(groupEnd, goneIsTold, stored?.keptUntil ?? .max)
        for item in group { next = min(next, item.keptUntil) }
        if let held { next = min(next, held.keptUntil, rhythm.nextBackground(context.settings)) }
        // A lane with the rhythm alone ends with it.
        let end = rhythm.end(context.settings)
        if connection == nil, stored == nil, end > context.now { next = min(next, end) }
        return next
    }

    /// True if the lane holds nothing to lose.
    func isIdle(_ context: DeliveryContext) -> Bool {
        connection == nil && stored == nil && goneIsTold == .max && rhythm.end(context.settings) <= context.now
    }
}
