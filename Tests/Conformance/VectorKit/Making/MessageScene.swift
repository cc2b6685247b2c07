import Envelope
import Keys
import Primitives
import TestSupport

/// A vector of the kind `message` in the making: one device, and pushes delivered to it in order.
struct MessageScene {
    static let helloShows = #"{"title":"Ada","body":"Hello"}"#
    enum PrekeyState { case held, locked, destroyed, absent }

    var actors: Actors
    private(set) var vector: Vector
    private var inputs: [[UInt8]] = []
    private var deliveries: [(now: UInt64, expect: String, shows: String, died: Bool, time: DeviceTime)] = []

    /// `contact` is role and rights of the sender, nil for a stranger; `prekey` is the device's state of the key that
    /// pushes are sealed to.
    init(
        _ name: String,
        _ title: String,
        cases: [Int] = [],
        rules: [Int] = [],
        contact: String? = "service -",
        prekey: PrekeyState = .held,
        voip: Bool = false
    ) throws {
        actors = try Actors(name: name)
        vector = Vector(name: name, title: title, kind: "message", cases: cases, rules: rules)
        if voip { vector.add("class", "voip") }
        vector.add("topic", Actors.topic)
        vector.add("identity", Base64URL.string(actors.identity.rawRepresentation))
        try add(prekey, secret: actors.prekeySecret, .afterFirstUnlock)
        if let contact { add(contact: actors.senderKey, contact) }
        vector.add("build-date", "\(Actors.buildDate)")
    }

    mutating func add(contact key: SenderKey, _ roleAndRights: String) {
        vector.add("contact", "\(Base64URL.string(key.rawRepresentation)) \(roleAndRights)")
    }

    /// Adds a retired key: replaced by another one, or revoked.
    mutating func add(retired key: SenderKey, by successor: SenderKey?, at time: UInt64) {
        let words =
            successor.map { "superseded \(time) \(Base64URL.string($0.rawRepresentation))" } ?? "revoked \(time)"
        vector.add("retired", "\(Base64URL.string(key.rawRepresentation)) \(words)")
    }

    mutating func add(_ state: PrekeyState, secret: [UInt8], _ protectionClass: ProtectionClass) throws {
        let kind = "1 \(protectionClass.rawValue)"
        let prekey = try Actors.prekey(secret, protectionClass)
        let fingerprint = Base64URL.string(prekey.fingerprint(identity: actors.identity))
        switch state {
        case .held: vector.add("prekey", "\(kind) \(Base64URL.string(secret))")
        case .locked: vector.add("prekey", "\(kind) locked \(fingerprint)")
        case .destroyed: vector.add("prekey", "\(kind) destroyed \(fingerprint)")
        case .absent: break
        }
    }

    mutating func add(_ name: String, _ value: String) { vector.add(name, value) }

    /// A further person or service that the device does not know yet.
    mutating func stranger() throws -> (seed: [UInt8], key: SenderKey) {
        let seed = actors.random.bytes(count: 32)
        return (seed, try SenderKey(rawRepresentation: try Actors.publicKey(ofSeed: seed)))
    }

    /// Delivers a push that is honest but for `change`.
    mutating func deliver(
        _ expect: String,
        shows: String? = nil,
        now: UInt64 = Actors.start,
        died: Bool = false,
        at time: DeviceTime = DeviceTime(),
        _ change: (inout PushRecipe) throws -> Void = { _ in }
    ) throws {
        var recipe = PushRecipe(&actors)
        try change(&recipe)
        let payload = try recipe.payload(random: &actors.random)
        deliver(payload: payload, expect, shows: shows, now: now, died: died, at: time)
    }

    mutating func deliver(
        payload: [UInt8],
        _ expect: String,
        shows: String? = nil,
        now: UInt64 = Actors.start,
        died: Bool = false,
        at time: DeviceTime = DeviceTime()
    ) {
        precondition(!payload.contains(UInt8(ascii: "\n")))
        inputs.append(payload)
        let isShown = expect == "opened" || expect == "unauthenticated"
        deliveries.append((now, expect, isShown ? shows ?? Self.helloShows : "-", died, time))
    }

    mutating func deliverAgain(
        _ expect: String,
        shows: String? = nil,
        now: UInt64 = Actors.start,
        died: Bool = false,
        at time: DeviceTime = DeviceTime()
    ) {
        guard let last = inputs.last else { preconditionFailure("nothing was delivered yet") }
        deliver(payload: last, expect, shows: shows, now: now, died: died, at: time)
    }

    /// A device's time beside its clock.
    struct DeviceTime: Equatable {
        /// The number of the device's start, and the milliseconds since.
        var start = 1
        var uptime: UInt64 = 0
        /// The time that a source confirms right before.
        var confirmed: UInt64?
    }

    var finished: Vector {
        var vector = vector
        if deliveries.contains(where: \.died) {
            for delivery in deliveries { vector.add("elapsed", delivery.died ? "died" : "-") }
        }
        if deliveries.contains(where: { $0.time != DeviceTime() }) {
            for delivery in deliveries { vector.add("uptime", "\(delivery.time.start) \(delivery.time.uptime)") }
            for delivery in deliveries { vector.add("confirmed", delivery.time.confirmed.map { "\($0)" } ?? "-") }
        }
        for delivery in deliveries { vector.add("now", "\(delivery.now)") }
        for delivery in deliveries { vector.add("expect", delivery.expect) }
        for delivery in deliveries { vector.add("shows", delivery.shows) }
        vector.input = Array(inputs.joined(separator: [UInt8(ascii: "\n")]))
        return vector
    }
}

extension Vector {
    init(name: String, title: String, kind: String, cases: [Int], rules: [Int] = []) {
        self.init(name: name)
        add("title", title)
        add("kind", kind)
        if !rules.isEmpty { add("rule", rules.map(String.init).joined(separator: " ")) }
        if !cases.isEmpty { add("case", cases.map(String.init).joined(separator: " ")) }
    }
}

extension PushRecipe {
    mutating func setBody(_ text: String) { body = Array(text.utf8) }
}
