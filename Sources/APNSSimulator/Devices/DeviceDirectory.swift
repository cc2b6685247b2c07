package import APNS
package import DeviceLink

/// The simulator's devices: who has which token, who is connected. What waits for whom is the delivery engine's.
/// Events in, effects out; no socket, no clock, no randomness.
///
/// The token of a device's hello is its *base*. Tokens for other kinds of pushes are registered beside it, and come and go
/// with it.
///
/// - Source: "Registering your app with APNs": a token belongs to an app on a device, in one environment; it changes when
///   the app is installed again and when a device is restored.
package struct DeviceDirectory {
    package typealias ConnectionID = DeliveryEffect.ConnectionID
    package typealias Effect = DeliveryEffect

    private let environment: APNSEnvironment
    private let mint: DeviceTokenMint
    private(set) var deviceCountMax: Int
    /// Apps that are called as if theirs were a suffix of Apple's.
    private let bundleIDs: Set<Topic>
    var installations = Installations()
    var siblings = SiblingTokens()
    var connections: [UInt32: ConnectionID] = [:]
    /// To the base of its device.
    private(set) var connected: [ConnectionID: UInt32] = [:]
    private(set) var states: [ConnectionID: DeviceState] = [:]
    var engine: DeliveryEngine
    private var recent = RecentTokens()

    /// - Parameters:
    ///   - environment: the tokens of the other one are nobody's here.
    ///   - mint: makes the tokens.
    ///   - deviceCountMax: how many tokens it gives out.
    ///   - bundleIDs: apps that are called as if theirs were a suffix of Apple's.
    ///   - delivery: store and forward.
    package init(
        environment: APNSEnvironment = .sandbox,
        mint: DeviceTokenMint,
        deviceCountMax: Int = 1_000_000,
        bundleIDs: Set<Topic> = [],
        delivery: DeliverySettings = DeliverySettings()
    ) {
        self.environment = environment
        self.mint = mint
        self.deviceCountMax = deviceCountMax
        self.bundleIDs = bundleIDs
        engine = DeliveryEngine(delivery)
    }

    /// Changes how many tokens are given out from now on, and how pushes are carried on.
    ///
    /// - Returns: what follows: a push that waited for a budget may have room now.
    mutating func adopt(deviceCountMax: Int, _ delivery: DeliverySettings, at now: Int64) -> [Effect] {
        self.deviceCountMax = deviceCountMax
        return settle(engine.adopt(delivery, at: now))
    }

    /// What became of each push.
    package var log: DeliveryLog { engine.log }

    // MARK: Tokens

    /// The length of the tokens that it gives out.
    var tokenByteCount: Int { mint.tokenByteCount }

    /// How many tokens there are.
    package var deviceCount: Int { installations.count }

    /// What the validator needs to know of a token; `nil` for a token of nobody, and of the other environment.
    package mutating func registration(of token: DeviceToken) -> RequestValidator.Registration? {
        guard let number = installation(of: token) else { return nil }
        return RequestValidator.Registration(
            bundleID: installations.bundleID(of: number),
            kind: installations[number].kind,
            unregisteredAtMilliseconds: installations[number].unregisteredAtMilliseconds,
            isExpired: installations[number].isExpired
        )
    }

    /// Our own name for the device: what a log may show.
    package mutating func number(of token: DeviceToken) -> Int? {
        installation(of: token).map { Int(installations[$0].device) }
    }

    /// What is known of a token; `nil` for one that was not made here.
    package func report(on token: DeviceToken) -> TokenReport? {
        guard let content = mint.open(token) else { return nil }
        let number = installation(content)
        let known = number.map { installations[$0] }
        let status: TokenReport.Status
        switch (known, known?.unregisteredAtMilliseconds) {
        case (nil, _): status = content.environment == environment ? .unknown : .otherEnvironment
        case (_?, nil): status = .active
        case (let known?, let time?):
            status = known.isReplaced ? .replaced(atMilliseconds: time) : .unregistered(atMilliseconds: time)
        }
        return TokenReport(
            environment: content.environment,
            bundleID: installations.bundleID(ofApp: content.app),
            kind: known?.kind,
            device: known.map { Int($0.device) },
            generation: Int(content.generation),
            status: status
        )
    }

    /// Gives out a token to a device that is away, as if it had been here before.
    ///
    /// - Parameters:
    ///   - topic: the app on it, and by its suffix what it is registered for.
    ///   - owner: the certificate that the device will show.
    ///   - salt: four random bytes.
    /// - Returns: the token.
    /// - Throws: `.tooManyDevices`.
    package mutating func enrol(
        _ topic: Topic,
        owner: DeviceOwner? = nil,
        salt: UInt32
    ) throws(DeviceRefused) -> DeviceToken {
        try enrol(app(of: topic), owner: owner, salt: salt)
    }

    /// The same where the kind of pushes is said.
    package mutating func enrol(
        _ app: RegisteredApp,
        owner: DeviceOwner? = nil,
        salt: UInt32
    ) throws(DeviceRefused) -> DeviceToken {
        let number = try add(app, owner: owner, earlier: nil, salt: salt)
        return token(of: number)
    }

    func app(of topic: Topic) -> RegisteredApp { RegisteredApp(topic: topic, besides: bundleIDs) }

    // MARK: Devices come and go

    /// A device says hello.
    ///
    /// - Parameters:
    ///   - connection: the owner's name for it.
    ///   - hello: what it says. Its earlier token is kept if it was given to this app on this device here; one that nobody
    ///     has any more is replaced, as Apple does.
    ///   - owner: the certificate that the device showed.
    ///   - salt: four random bytes, for a new token.
    ///   - now: milliseconds since 1970.
    /// - Returns: the token under which it is reached, and what follows from its being there.
    /// - Throws: the reason to refuse it.
    package mutating func connect(
        _ connection: ConnectionID,
        _ hello: DeviceHello,
        owner: DeviceOwner? = nil,
        salt: UInt32,
        at now: Int64
    ) throws(DeviceRefused) -> (token: DeviceToken, effects: [Effect]) {
        let app = app(of: hello.topic)
        let earlier = try earlierInstallation(hello, app, owner)
        var effects: [Effect] = []
        let number: UInt32
        if let earlier, hello.arrival == .same {
            number = earlier
            // An app that was taken off and is there again without a new token is reachable again.
            installations[number].unregisteredAtMilliseconds = nil
        } else {
            number = try add(app, owner: owner, earlier: earlier, salt: salt)
            if let earlier { effects += replace(earlier, at: now) }
        }
        if let older = connections[number] { effects += [.close(older)] + disconnect(older, at: now) }
        connected[connection] = number
        states[connection] = hello.state
        connections[number] = connection
        effects += engine.connect(address(number), connection, hello.state, at: now)
        for sibling in siblings.numbers(beside: number) { effects += connectSibling(sibling, connection, at: now) }
        return (token(of: number), settle(effects))
    }

    /// The connection is gone; of what was not acknowledged the newest waits from now on.
    package mutating func disconnect(_ connection: ConnectionID, at now: Int64) -> [Effect] {
        let numbers = numbers(on: connection)
        connected[connection] = nil
        states[connection] = nil
        var effects: [Effect] = []
        for number in numbers {
            connections[number] = nil
            let own = engine.disconnect(address(number), at: now)
            let told = DeliveryEvent.disconnected(device: Int(installations[number].device))
            effects += number == numbers[0] ? own : own.filter { $0 != .happened(told) }
        }
        return settle(effects)
    }

    /// The device says how it is from now on.
    package mutating func change(_ connection: ConnectionID, to state: DeviceState, at now: Int64) -> [Effect] {
        var effects: [Effect] = []
        for number in numbers(on: connection) { effects += engine.change(address(number), to: state, at: now) }
        if connected[connection] != nil { states[connection] = state }
        return settle(effects)
    }

    /// The app is gone from the device, or its token has expired: pushes are answered 410 with this time from now on. An
    /// app that is gone takes the tokens for other kinds of pushes with it.
    @discardableResult
    package mutating func unregister(
        _ token: DeviceToken,
        atMilliseconds now: Int64,
        isExpired: Bool = false
    ) -> [Effect] {
        guard let number = installation(of: token) else { return [] }
        var effects: [Effect] = []
        for number in [number] + (isExpired ? [] : siblings.numbers(beside: number)) {
            installations[number].unregisteredAtMilliseconds = now
            installations[number].isExpired = isExpired
            effects += engine.drop(address(number), at: now)
        }
        return settle(effects)
    }

    /// The installation of the token that a device says it has, if that is still its.
    private func earlierInstallation(
        _ hello: DeviceHello,
        _ app: RegisteredApp,
        _ owner: DeviceOwner?
    ) throws(DeviceRefused) -> UInt32? {
        guard let token = hello.earlierToken, let content = mint.open(token) else { return nil }
        guard content.app == DeviceTokenMint.app(of: app.bundleID) else {
            throw DeviceRefused(refusal: .tokenOfAnotherTopic)
        }
        guard content.environment == environment else { throw DeviceRefused(refusal: .tokenOfAnotherEnvironment) }
        guard let number = installation(content), !installations[number].isReplaced else { return nil }
        guard installations[number].kind == app.kind else { throw DeviceRefused(refusal: .tokenOfAnotherTopic) }
        guard installations[number].belongs(to: owner) else {
            // A backup brings the token of the device that it was made on; that one keeps it.
            guard hello.arrival == .restored else { throw DeviceRefused(refusal: .tokenOfAnotherDevice) }
            return nil
        }
        return number
    }

    private mutating func replace(_ number: UInt32, at now: Int64) -> [Effect] {
        var effects: [Effect] = []
        if let connection = connections[number] { effects += [.close(connection)] + disconnect(connection, at: now) }
        for number in [number] + siblings.numbers(beside: number) {
            installations[number].isReplaced = true
            // An app that was known to be gone is gone since then.
            if installations[number].unregisteredAtMilliseconds == nil {
                installations[number].unregisteredAtMilliseconds = now
            }
            effects += engine.drop(address(number), at: now)
        }
        siblings.remove(beside: number)
        return effects
    }

    private mutating func add(
        _ app: RegisteredApp,
        owner: DeviceOwner?,
        earlier: UInt32?,
        salt: UInt32
    ) throws(DeviceRefused) -> UInt32 {
        guard installations.count < deviceCountMax else { throw DeviceRefused(refusal: .tooManyDevices) }
        return installations.add(app, owner: owner, earlier: earlier, salt: salt)
    }

    // MARK: Pushes

    /// Whether the next push to the token is answered TooManyRequests.
    package mutating func isTooFrequent(_ token: DeviceToken, at now: Int64) -> Bool {
        guard let number = installation(of: token) else { return false }
        return engine.isTooFrequent(address(number), at: now)
    }

    /// A push passed every check.
    ///
    /// - Parameters:
    ///   - push: what the device is to get.
    ///   - token: whose it is.
    ///   - uniqueID: its `apns-unique-id`.
    ///   - reason: why it will not arrive, where that is known already.
    ///   - now: milliseconds since 1970.
    /// - Returns: what follows.
    package mutating func accept(
        _ push: DevicePush,
        for token: DeviceToken,
        uniqueID: APNSID,
        discardedFor reason: DiscardReason? = nil,
        at now: Int64
    ) -> [Effect] {
        guard let number = installation(of: token) else { return [] }
        if let reason = reason ?? LiveActivityEvent.fault(of: push, for: installations[number].kind) {
            return engine.discard(push, uniqueID: uniqueID, for: address(number), reason, at: now)
        }
        return settle(engine.accept(push, uniqueID: uniqueID, for: address(number), at: now))
    }

    /// The same with a new `apns-unique-id`; `now` is in seconds since 1970.
    package mutating func accept(_ push: DevicePush, for token: DeviceToken, now: Int64) -> [Effect] {
        accept(push, for: token, uniqueID: APNSID(), at: now * 1000)
    }

    /// The device has the push.
    package mutating func acknowledge(_ id: APNSID, from connection: ConnectionID, at now: Int64) -> [Effect] {
        for number in numbers(on: connection) {
            let effects = engine.acknowledge(id, from: address(number), at: now)
            guard effects.isEmpty else { return settle(effects) }
        }
        return []
    }

    // MARK: Time

    /// When `wake` has something to do; milliseconds since 1970.
    package var nextWakeUp: Int64? { engine.nextWakeUp }

    /// Does what is due.
    package mutating func wake(at now: Int64) -> [Effect] { settle(engine.wake(at: now)) }
}

// For those who look after the simulator.
extension DeviceDirectory {
    var currentInstallations: [UInt32] {
        (0..<UInt32(installations.count)).filter { !installations[$0].isReplaced }
    }

    func connection(of number: UInt32) -> ConnectionID? { connections[number] }

    func summary(_ number: UInt32) -> DeviceSummary {
        DeviceSummary(
            number: Int(installations[number].device),
            app: RegisteredApp(bundleID: installations.bundleID(of: number), kind: installations[number].kind),
            isConnected: connections[number] != nil,
            unregisteredAtMilliseconds: installations[number].unregisteredAtMilliseconds,
            waitingCount: engine.waitingCount(number)
        )
    }
}

// The way from a token to an installation and back.
extension DeviceDirectory {
    func address(_ number: UInt32) -> DeliveryEngine.Address {
        DeliveryEngine.Address(installation: number, device: Int(installations[number].device))
    }

    func token(of number: UInt32) -> DeviceToken {
        let installation = installations[number]
        return mint.seal(
            DeviceTokenMint.Content(
                environment: environment,
                installation: number,
                generation: installation.generation,
                app: DeviceTokenMint.app(of: installations.bundleID(of: number)),
                salt: installation.salt
            )
        )
    }

    mutating func installation(of token: DeviceToken) -> UInt32? {
        if let number = recent[token] { return number }
        guard let number = mint.open(token).flatMap({ installation($0) }) else { return nil }
        recent[token] = number
        return number
    }

    /// `nil` for a token of the other environment, and for one of another run.
    private func installation(_ content: DeviceTokenMint.Content) -> UInt32? {
        guard content.environment == environment, content.installation < installations.count else { return nil }
        let known = installations[content.installation]
        guard known.salt == content.salt, known.generation == content.generation,
            DeviceTokenMint.app(of: installations.bundleID(of: content.installation)) == content.app
        else { return nil }
        return content.installation
    }

    /// What the engine found out about apps that are gone becomes the token's standing.
    mutating func settle(_ effects: [Effect]) -> [Effect] {
        let gone = engine.takeGone()
        guard !gone.isEmpty else { return effects }
        var effects = effects
        for (number, time) in gone {
            installations[number].unregisteredAtMilliseconds = time
            effects.append(
                .appIsGone(
                    token(of: number),
                    bundleID: installations.bundleID(of: number),
                    atMilliseconds: time
                )
            )
        }
        return effects
    }
}

/// Why a device was not taken.
package struct DeviceRefused: Error, Equatable, Sendable {
    package let refusal: DeviceFrame.Refusal
}
