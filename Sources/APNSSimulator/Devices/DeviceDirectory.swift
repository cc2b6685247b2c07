package import APNS
package import DeviceLink

/// Simulated devices, their tokens and connections. Events in, effects out; no socket, clock or randomness.
///
/// The token of a device's hello is its *base*. Tokens for other kinds of pushes end with it.
///
/// - Source: "Registering your app with APNs": a token belongs to an app on a device, in one environment; it changes
///   with each installation, and when a device is restored.
package struct DeviceDirectory {
    package typealias ConnectionID = DeliveryEffect.ConnectionID
    package typealias Effect = DeliveryEffect

    private let environment: APNSEnvironment
    private let mint: DeviceTokenMint
    private(set) var deviceCountMax: Int
    /// Apps with bundle ids that end like Apple's suffixes.
    private let bundleIDs: Set<Topic>
    var installations = Installations()
    var siblings = SiblingTokens()
    var connections: [UInt32: ConnectionID] = [:]
    /// Base installation of each connection.
    private(set) var connected: [ConnectionID: UInt32] = [:]
    private(set) var states: [ConnectionID: DeviceState] = [:]
    var engine: DeliveryEngine
    private var recent = RecentTokens()

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

    /// - Returns: effects, as a new budget may release a push.
    mutating func adopt(deviceCountMax: Int, _ delivery: DeliverySettings, at now: Int64) -> [Effect] {
        self.deviceCountMax = deviceCountMax
        return settle(engine.adopt(delivery, at: now))
    }

    package var log: DeliveryLog { engine.log }

    // MARK: Tokens

    var tokenByteCount: Int { mint.tokenByteCount }

    package var deviceCount: Int { installations.count }

    /// `nil` for a token of another environment.
    package mutating func registration(of token: DeviceToken) -> RequestValidator.Registration? {
        guard let number = installation(of: token) else { return nil }
        return RequestValidator.Registration(
            bundleID: installations.bundleID(of: number),
            kind: installations[number].kind,
            unregisteredAtMilliseconds: installations[number].unregisteredAtMilliseconds,
            isExpired: installations[number].isExpired
        )
    }

    package mutating func number(of token: DeviceToken) -> Int? {
        installation(of: token).map { Int(installations[$0].device) }
    }

    /// `nil` unless this mint made the token.
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

    /// Issues a token to an offline device, as if it had connected before.
    ///
    /// - Parameters:
    ///   - topic: its suffix is the kind of pushes.
    ///   - salt: four random bytes.
    /// - Throws: `.tooManyDevices`.
    package mutating func enrol(
        _ topic: Topic,
        owner: DeviceOwner? = nil,
        salt: UInt32
    ) throws(DeviceError) -> DeviceToken {
        try enrol(app(of: topic), owner: owner, salt: salt)
    }

    package mutating func enrol(
        _ app: RegisteredApp,
        owner: DeviceOwner? = nil,
        salt: UInt32
    ) throws(DeviceError) -> DeviceToken {
        let number = try add(app, owner: owner, earlier: nil, salt: salt)
        return token(of: number)
    }

    func app(of topic: Topic) -> RegisteredApp { RegisteredApp(topic: topic, besides: bundleIDs) }

    // MARK: Devices come and go

    /// Connects a device after its hello.
    ///
    /// - Parameters:
    ///   - hello: an earlier token of this app here is kept, any other replaced, as by Apple.
    ///   - salt: four random bytes, for a new token.
    ///   - now: milliseconds since 1970.
    /// - Throws: the reason to refuse it.
    package mutating func connect(
        _ connection: ConnectionID,
        _ hello: DeviceHello,
        owner: DeviceOwner? = nil,
        salt: UInt32,
        at now: Int64
    ) throws(DeviceError) -> (token: DeviceToken, effects: [Effect]) {
        let app = app(of: hello.topic)
        let earlier = try earlierInstallation(hello, app, owner)
        var effects: [Effect] = []
        let number: UInt32
        if let earlier, hello.arrival == .same {
            number = earlier
            // A removed app that returns with its token is reachable.
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

    package mutating func change(_ connection: ConnectionID, to state: DeviceState, at now: Int64) -> [Effect] {
        var effects: [Effect] = []
        for number in numbers(on: connection) { effects += engine.change(address(number), to: state, at: now) }
        if connected[connection] != nil { states[connection] = state }
        return settle(effects)
    }

    /// Marks the app as removed or its token as expired: 410 from now on. A removed app loses all tokens.
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

    private func earlierInstallation(
        _ hello: DeviceHello,
        _ app: RegisteredApp,
        _ owner: DeviceOwner?
    ) throws(DeviceError) -> UInt32? {
        guard let token = hello.earlierToken, let content = mint.open(token) else { return nil }
        guard content.app == DeviceTokenMint.app(of: app.bundleID) else {
            throw DeviceError(refusal: .tokenOfAnotherTopic)
        }
        guard content.environment == environment else { throw DeviceError(refusal: .tokenOfAnotherEnvironment) }
        guard let number = installation(content), !installations[number].isReplaced else { return nil }
        guard installations[number].kind == app.kind else { throw DeviceError(refusal: .tokenOfAnotherTopic) }
        guard installations[number].belongs(to: owner) else {
            // A backup carries the original device's token, which that keeps.
            guard hello.arrival == .restored else { throw DeviceError(refusal: .tokenOfAnotherDevice) }
            return nil
        }
        return number
    }

    private mutating func replace(_ number: UInt32, at now: Int64) -> [Effect] {
        var effects: [Effect] = []
        if let connection = connections[number] { effects += [.close(connection)] + disconnect(connection, at: now) }
        for number in [number] + siblings.numbers(beside: number) {
            installations[number].isReplaced = true
            // A removed app keeps its earlier time.
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
    ) throws(DeviceError) -> UInt32 {
        guard installations.count < deviceCountMax else { throw DeviceError(refusal: .tooManyDevices) }
        return installations.add(app, owner: owner, earlier: earlier, salt: salt)
    }

    // MARK: Pushes

    package mutating func isTooFrequent(_ token: DeviceToken, at now: Int64) -> Bool {
        guard let number = installation(of: token) else { return false }
        return engine.isTooFrequent(address(number), at: now)
    }

    /// - Parameters:
    ///   - reason: known, for a push that will not arrive.
    ///   - now: milliseconds since 1970.
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

    /// Form with a new `apns-unique-id`; `now` is in seconds since 1970.
    package mutating func accept(_ push: DevicePush, for token: DeviceToken, now: Int64) -> [Effect] {
        accept(push, for: token, uniqueID: APNSID(), at: now * 1000)
    }

    package mutating func acknowledge(_ id: APNSID, from connection: ConnectionID, at now: Int64) -> [Effect] {
        for number in numbers(on: connection) {
            let effects = engine.acknowledge(id, from: address(number), at: now)
            guard effects.isEmpty else { return settle(effects) }
        }
        return []
    }

    // MARK: Time

    package var nextWakeUp: Int64? { engine.nextWakeUp }

    package mutating func wake(at now: Int64) -> [Effect] { settle(engine.wake(at: now)) }
}

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

    /// `nil` for a token of the other environment or another run.
    private func installation(_ content: DeviceTokenMint.Content) -> UInt32? {
        guard content.environment == environment, content.installation < installations.count else { return nil }
        let known = installations[content.installation]
        guard known.salt == content.salt, known.generation == content.generation,
            DeviceTokenMint.app(of: installations.bundleID(of: content.installation)) == content.app
        else { return nil }
        return content.installation
    }

    /// Copies findings about removed apps.
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

package struct DeviceError: Error, Equatable, Sendable {
    package let refusal: DeviceFrame.Refusal
}
