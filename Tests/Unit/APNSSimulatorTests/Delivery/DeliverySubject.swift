import APNS
import DeviceLink

@testable import APNSSimulator

/// The engine that is compared with the model, perhaps with a planted mistake.
struct DeliverySubject {
    enum Mistake: CaseIterable {
        /// Sends the replaced push too.
        case storesTwo
        case forgetsExpiry
        /// Stores a push with `apns-expiration: 0` like any other.
        case storesOneAttempt
        case deliversTwice
        /// Keeps the older push at times.
        case replacesInWrongOrder
        /// Sets no alarm for the engine.
        case forgetsToWake
        /// Takes pushes in flight on a broken connection for delivered.
        case losesUnacknowledged
        case ignoresLowPower
        case ignoresBudget
        /// Stores one app's share for two apps.
        case sharesStorage
        case ignoresNotificationsOff
    }

    private let mistake: Mistake?
    private var engine: DeliveryEngine
    private var replaced: [Int: DevicePush] = [:]
    private var known: [APNSID: DevicePush] = [:]
    private var onTheWay: [Int: [APNSID]] = [:]

    init(_ mistake: Mistake? = nil) {
        self.mistake = mistake
        var settings = DeliverySettings()
        if mistake == .replacesInWrongOrder { settings.reorderMilliseconds = 1 << 50 }
        if mistake == .ignoresBudget { settings.backgroundsPerHour = 0 }
        engine = DeliveryEngine(settings)
    }

    private func address(_ device: Int) -> DeliveryEngine.Address {
        DeliveryEngine.Address(installation: mistake == .sharesStorage ? 0 : UInt32(device), device: device)
    }

    mutating func accept(_ push: DevicePush, for device: Int, at now: Int64) -> Story {
        var push = push
        if mistake == .forgetsExpiry, push.expiration?.unixSeconds ?? 0 > 0 { push.expiration = nil }
        if mistake == .storesOneAttempt, push.expiration == .oneAttempt { push.expiration = nil }
        known[push.id] = push
        return story(of: engine.accept(push, uniqueID: APNSID(), for: address(device), at: now), device)
    }

    mutating func connect(_ device: Int, _ connection: Int, _ state: DeviceState, at now: Int64) -> Story {
        var effects = engine.connect(address(device), connection, seen(state), at: now)
        if mistake == .storesTwo, let push = replaced.removeValue(forKey: device) {
            effects.append(.send(push, connection))
        }
        return story(of: effects, device)
    }

    mutating func disconnect(_ device: Int, at now: Int64) -> Story {
        if mistake == .losesUnacknowledged {
            for id in onTheWay[device] ?? [] { _ = engine.acknowledge(id, from: address(device), at: now) }
        }
        onTheWay[device] = []
        return story(of: engine.disconnect(address(device), at: now), device)
    }

    mutating func change(_ device: Int, to state: DeviceState, at now: Int64) -> Story {
        story(of: engine.change(address(device), to: seen(state), at: now), device)
    }

    mutating func acknowledge(_ id: APNSID, _ device: Int, at now: Int64) -> Story {
        onTheWay[device]?.removeAll { $0 == id }
        return story(of: engine.acknowledge(id, from: address(device), at: now), device)
    }

    /// Advances to `end` with a stop at each alarm of the engine.
    mutating func advance(to end: Int64) -> Story {
        var whole = Story()
        guard mistake != .forgetsToWake else { return whole }
        var wakeUpCount = 0
        while let next = engine.nextWakeUp, next <= end {
            whole += story(of: engine.wake(at: next), nil)
            wakeUpCount += 1
            // Three phones wait for a few things each. An engine that repeats its alarm would never end here.
            guard wakeUpCount <= 1000 else {
                whole.happened.append("woken \(wakeUpCount) times")
                break
            }
        }
        return whole
    }

    private func seen(_ state: DeviceState) -> DeviceState {
        switch mistake {
        case .ignoresLowPower: state.subtracting(.lowPower)
        case .ignoresNotificationsOff: state.subtracting(.notificationsOff)
        default: state
        }
    }

    private mutating func story(of effects: [DeliveryEffect], _ device: Int?) -> Story {
        var story = Story()
        for effect in effects {
            switch effect {
            case .send(let push, let connection):
                story.sent[connection, default: []].append(push.id)
                if mistake == .deliversTwice { story.sent[connection, default: []].append(push.id) }
                if let device { onTheWay[device, default: []].append(push.id) }
            case .happened(.stored(let id, _)): story.happened.append("\(id) stored")
            case .happened(.delivered(let id, _)): story.happened.append("\(id) delivered")
            case .happened(.discarded(let id, let reason, _)): story.happened.append("\(id) \(reason.rawValue)")
            case .happened(.replaced(let id, let other, _)):
                story.happened.append("\(id) replaced by \(other)")
                if let device { replaced[device] = known[id] }
            case .happened(.connected), .happened(.disconnected), .close, .appIsGone: break
            }
        }
        return story
    }
}
