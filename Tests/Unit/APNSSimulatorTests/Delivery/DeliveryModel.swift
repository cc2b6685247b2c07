import APNS
import DeviceLink

/// Store and forward a second time, as slow and plain as can be: every living push in one list, every rule a sentence.
/// Written from the documented rules and not from the engine; it has no lanes, no heap and no alarms.
struct DeliveryModel {
    enum Place { case onTheWay, slot, group, held }

    struct Living {
        let push: DevicePush
        let device: Int
        let order: Int
        let end: Int64
        var place: Place?
        var hasWaited = false
    }

    struct Phone {
        var connection: Int?
        var state: DeviceState = []
        var groupBegan: Int64 = 0
        var backgrounds: [Int64] = []
    }

    static let onTheWayCountMax = 64
    static let groupMilliseconds: Int64 = 60_000
    static let groupCountMax = 16
    static let backgroundsPerHour = 3
    static let storageMilliseconds: Int64 = 30 * 86_400_000
    static let hour: Int64 = 3_600_000

    private(set) var phones: [Phone]
    private(set) var living: [Living] = []
    private var acceptedCount = 0
    private var now: Int64 = 0
    private var story: Story = Story()

    init(phoneCount: Int) { phones = [Phone](repeating: Phone(), count: phoneCount) }

    mutating func takeStory() -> Story {
        defer { story = Story() }
        return story
    }

    func onTheWay(to device: Int) -> [APNSID] {
        living.filter { $0.device == device && $0.place == .onTheWay }.map(\.push.id)
    }

    // MARK: Events

    mutating func accept(_ push: DevicePush, for device: Int) {
        let end: Int64
        switch push.expiration {
        case nil: end = now + Self.storageMilliseconds
        case let expiration?: end = Int64(expiration.unixSeconds) * 1000
        }
        living.append(Living(push: push, device: device, order: acceptedCount, end: end))
        acceptedCount += 1
        offer(push.id)
    }

    mutating func connect(_ device: Int, _ connection: Int, _ state: DeviceState) {
        phones[device].connection = connection
        phones[device].state = state
        offerAll(device, [.slot])
    }

    mutating func disconnect(_ device: Int) {
        phones[device].connection = nil
        phones[device].state = []
        offerAll(device, [.group, .held, .onTheWay])
    }

    mutating func change(_ device: Int, to state: DeviceState) {
        let before = phones[device].state
        phones[device].state = state
        guard before.union(.focus) != state.union(.focus) else { return }
        let isFull = onTheWay(to: device).count >= Self.onTheWayCountMax
        offerAll(device, isFull ? [.group, .held] : [.group, .held, .slot])
    }

    mutating func acknowledge(_ id: APNSID, _ device: Int) {
        end(id, "delivered")
        offerAll(device, [.slot])
    }

    /// Advances the clock, and does everything at its time.
    mutating func advance(to end: Int64) {
        while let moment = nextMoment, moment <= end {
            now = max(now, moment)
            for push in living where push.place != .onTheWay && push.end <= now { self.end(push.push.id, "expired") }
            for device in phones.indices {
                let groupEnd = phones[device].groupBegan + Self.groupMilliseconds
                if !group(device).isEmpty, groupEnd <= now { sendGroup(device) }
                if budgetIsFree(device) { offerAll(device, [.held]) }
            }
        }
        now = end
    }

    private var nextMoment: Int64? {
        var moments = living.filter { $0.place != .onTheWay }.map(\.end)
        for device in phones.indices {
            if !group(device).isEmpty { moments.append(phones[device].groupBegan + Self.groupMilliseconds) }
            if living.contains(where: { $0.device == device && $0.place == .held }) {
                moments.append(phones[device].backgrounds.suffix(Self.backgroundsPerHour)[0, default: 0] + Self.hour)
            }
        }
        return moments.min()
    }

    // MARK: Rules

    private mutating func offerAll(_ device: Int, _ places: Set<Place>) {
        let chosen = living.filter { push in
            push.device == device && push.place.map(places.contains) ?? false
        }
        for push in chosen { set(push.push.id) { $0.place = nil } }
        for push in chosen.sorted(by: { $0.order < $1.order }) { offer(push.push.id) }
    }

    private mutating func offer(_ id: APNSID) {
        guard let push = living.first(where: { $0.push.id == id }) else { return }
        let phone = phones[push.device]
        if phone.connection == nil { return wait(push, .slot) }
        // A push that has waited may have expired.
        if push.hasWaited, push.end <= now { return end(id, "expired") }
        if phone.state.contains(.appRemoved) { return end(id, "app-removed") }
        if push.push.pushType == .alert, phone.state.contains(.notificationsOff) { return end(id, "notifications-off") }
        if push.push.pushType == .background {
            if phone.state.contains(.lowPower) { return end(id, "low-power") }
            if phone.state.contains(.appRunning) { return end(id, "app-running") }
            if !budgetIsFree(push.device) { return wait(push, .held) }
        } else if phone.state.contains(.lowPower), push.push.priority != .immediate {
            return wait(push, .group)
        }
        send(push)
    }

    private mutating func send(_ push: Living) {
        guard let connection = phones[push.device].connection else { return }
        guard onTheWay(to: push.device).count < Self.onTheWayCountMax else { return wait(push, .slot) }
        if push.push.pushType == .background { phones[push.device].backgrounds.append(now) }
        set(push.push.id) {
            $0.place = .onTheWay
            $0.hasWaited = false
        }
        story.sent[connection, default: []].append(push.push.id)
    }

    private mutating func wait(_ push: Living, _ place: Place) {
        let id = push.push.id
        guard push.end > now else { return end(id, push.hasWaited ? "expired" : "may-not-wait") }
        if place != .group, let other = living.first(where: { $0.device == push.device && $0.place == place }) {
            guard push.order > other.order else { return end(id, "replaced by \(other.push.id)") }
            end(other.push.id, "replaced by \(id)")
        }
        if place == .group, group(push.device).isEmpty { phones[push.device].groupBegan = now }
        if !push.hasWaited { story.happened.append("\(id) stored") }
        set(id) {
            $0.place = place
            $0.hasWaited = true
        }
        if group(push.device).count >= Self.groupCountMax { sendGroup(push.device) }
    }

    private mutating func sendGroup(_ device: Int) {
        let gathered = group(device)
        for push in gathered { set(push.push.id) { $0.place = nil } }
        for push in gathered { send(push) }
    }

    private func group(_ device: Int) -> [Living] { living.filter { $0.device == device && $0.place == .group } }

    private func budgetIsFree(_ device: Int) -> Bool {
        phones[device].backgrounds.filter { $0 + Self.hour > now }.count < Self.backgroundsPerHour
    }

    private mutating func end(_ id: APNSID, _ why: String) {
        story.happened.append("\(id) \(why)")
        living.removeAll { $0.push.id == id }
    }

    private mutating func set(_ id: APNSID, _ change: (inout Living) -> Void) {
        for index in living.indices where living[index].push.id == id { change(&living[index]) }
    }
}

/// One step's events: pushes sent to each connection, in order, and others, in any order.
struct Story: Equatable {
    var sent: [Int: [APNSID]] = [:]
    var happened: [String] = []

    static func == (left: Story, right: Story) -> Bool {
        left.sent == right.sent && left.happened.sorted() == right.happened.sorted()
    }

    static func += (story: inout Story, next: Story) {
        story.sent.merge(next.sent) { $0 + $1 }
        story.happened += next.happened
    }
}

extension ArraySlice {
    fileprivate subscript(offset: Int, default value: Element) -> Element {
        offset < count ? self[startIndex + offset] : value
    }
}
