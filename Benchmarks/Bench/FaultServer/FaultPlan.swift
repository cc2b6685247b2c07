import APNS
package import APNSSimulator

/// Faults for each connection and each request, in order of arrival. The same seed gives the same plan; the
/// interleaving of both depends on the client and the network.
package struct FaultPlan: Sendable {
    package struct Connection: Sendable, Equatable {
        package var connectFault: ConnectFault?
        /// First announced limit; APNs announces 1 to a client with a token, and 1000 after its first good one.
        package var streamCountMax: UInt32 = 1000
        /// Limit announced after the first answer of 200.
        package var streamCountMaxLater: UInt32?
        /// Faults after the handshake, each with its delay.
        package var faults: [Moment] = []

        package init(connectFault: ConnectFault? = nil, streamCountMax: UInt32 = 1000, faults: [Moment] = []) {
            self.connectFault = connectFault
            self.streamCountMax = streamCountMax
            self.faults = faults
        }
    }

    package struct Moment: Sendable, Equatable {
        package let delay: Duration
        package let fault: ConnectionFault

        package init(after delay: Duration, _ fault: ConnectionFault) {
            self.delay = delay
            self.fault = fault
        }
    }

    package struct Request: Sendable, Equatable {
        package var fault: RequestFault?
        /// Delay from its last byte to its processing.
        package var processingDelay = Duration.zero
        /// Delay from there to the answer.
        package var answerDelay = Duration.zero

        package init(fault: RequestFault? = nil) { self.fault = fault }
    }

    /// Fault of many requests in a row, beside those of single ones.
    package enum Spell: Sendable, Equatable {
        case none
        /// Refuses the first `count`, as if the device tokens were of the other environment.
        case refusals(count: Int)
        /// The key is revoked: later requests are answered with InvalidProviderToken.
        case revocation(after: Int)

        package var isRefusal: Bool { if case .refusals = self { true } else { false } }
    }

    /// Share of requests and of connections with a fault, 0 to 1.
    package let faultRate: Double
    private var connections: [Connection]
    private var requests: [Request]
    private var dice: SeededDice?
    /// A separate stream of numbers, so that one connection more does not change the requests' faults.
    private var connectionDice = SeededDice(seed: 0)
    private var hasConnection = false
    private let spell: Spell
    private var requestCount = 0

    /// Random faults.
    ///
    /// - Parameters:
    ///   - faultRate: 0 to 1.
    ///   - spell: Fault of many requests in a row.
    package init(seed: UInt64, faultRate: Double, spell: Spell = .none) {
        self.faultRate = faultRate
        self.spell = spell
        connections = []
        requests = []
        dice = SeededDice(seed: seed)
        connectionDice = SeededDice(seed: ~seed)
    }

    /// Given faults, in order, and none after them.
    package init(connections: [Connection] = [], requests: [RequestFault?] = []) {
        faultRate = 0
        spell = .none
        self.connections = connections.reversed()
        self.requests = requests.reversed().map { Request(fault: $0) }
    }

    package mutating func nextConnection() -> Connection {
        guard dice != nil else { return connections.popLast() ?? Connection() }
        var connection = Connection()
        connection.streamCountMax = connectionDice.pick(1, 1, 3, 100, 1000)
        connection.streamCountMaxLater = connectionDice.pick(1, 10, 1000)
        // A client that has sent everything at once cannot react to refusals.
        if spell.isRefusal {
            connection.streamCountMax = min(3, connection.streamCountMax)
            connection.streamCountMaxLater = connection.streamCountMax
        }
        // Fewer faults for the first one: a client that never connects shows nothing.
        let connectFaultRate = hasConnection ? min(faultRate * 2, 0.5) : faultRate / 4
        hasConnection = true
        if connectionDice.isTrue(connectFaultRate) { connection.connectFault = connectionDice.connectFault() }
        if connectionDice.isTrue(faultRate / 2), !spell.isRefusal {
            connection.faults.append(
                Moment(after: connectionDice.milliseconds(0...20), connectionDice.connectionFault())
            )
        }
        return connection
    }

    package mutating func nextRequest() -> Request {
        guard var dice else { return requests.popLast() ?? Request() }
        defer { self.dice = dice }
        var request = Request()
        // Most are processed at once; some wait, so that a GOAWAY finds streams of both kinds.
        if dice.isTrue(0.3) { request.processingDelay = dice.milliseconds(0...3) }
        if dice.isTrue(0.3) { request.answerDelay = dice.milliseconds(0...3) }
        let number = requestCount
        requestCount += 1
        switch spell {
        case .refusals(let count) where number < count:
            request.fault = .rejected(dice.pick(.badDeviceToken, .deviceTokenNotForTopic, .topicDisallowed))
            return request
        case .revocation(let count) where number >= count:
            request.fault = .rejected(.invalidProviderToken)
            return request
        case .none, .refusals, .revocation: break
        }
        guard dice.isTrue(faultRate) else { return request }
        // Rare, as one connection fault affects many requests.
        request.fault =
            dice.isTrue(0.1)
            ? .connection(dice.connectionFault(), isProcessed: dice.pick(true, false)) : dice.requestFault()
        return request
    }
}

extension SeededDice {
    fileprivate mutating func connectFault() -> ConnectFault {
        pick(
            .refused(for: milliseconds(1...20)),
            .reset,
            .silence,
            .alert(code: pick(40, 80)),
            .cut,
            .notTLS,
            .certificate(pick(.otherHost, .expired, .unknownAuthority)),
            .noSettings,
            .goAway(pick(.badCertificateEnvironment, .shutdown, .idleTimeout))
        )
    }

    fileprivate mutating func connectionFault() -> ConnectionFault {
        switch Int.random(in: 0..<20, using: &self) {
        case 0..<7: .goAway(goAway())
        case 7..<12: .settings(settings())
        case 12: .blackhole
        case 13, 14: .reset
        case 15: .cut
        case 16: .close
        case 17: .alert
        case 18: .corruptRecord
        default: .deaf(for: milliseconds(1...20))
        }
    }

    private mutating func goAway() -> FaultGoAway {
        FaultGoAway(
            code: pick(0, 0, 0, 2, 11),
            cut: pick(.processed, .middle, .received, .above),
            debugData: pick(.none, .reason(pick(.shutdown, .idleTimeout)), .notJSON, .large),
            gracefulDelay: isTrue(0.3) ? milliseconds(1...5) : nil,
            cutDelay: isTrue(0.3) ? milliseconds(0...5) : nil
        )
    }

    private mutating func settings() -> FaultSettings {
        pick(
            .streams(pick(1, 2, 1000), refusesRest: pick(true, false)),
            .noStreams(for: milliseconds(1...20)),
            .windowShut(for: milliseconds(1...20)),
            .noHeaderTable,
            .storm(count: Int.random(in: 2...40, using: &self))
        )
    }

    fileprivate mutating func requestFault() -> RequestFault {
        switch Int.random(in: 0..<28, using: &self) {
        case 0..<4: .reset(code: 7, isProcessed: false)
        case 4..<7: .reset(code: pick(0, 2, 5, 8), isProcessed: pick(true, false))
        case 7: .headThenReset(code: pick(0, 2, 8))
        case 8: .silence(isProcessed: pick(true, false))
        case 9: .slow(milliseconds(5...20))
        case 10: .informational
        case 11: .trailers
        case 12: .bodyFirst
        case 13: pick(.otherID, .noID)
        case 14: .rejectedInSingleBytes(pick(.badDeviceToken, .unregistered))
        case 15:
            .rejectedWithBody(
                status: pick(400, 403, 429, 500, 503),
                pick(.empty, .notJSON, .unknownReason, .hugeReason)
            )
        case 16..<20: .rejected(pick(.shutdown, .serviceUnavailable, .internalServerError, .tooManyRequests))
        case 20..<23:
            .rejected(
                pick(
                    .expiredProviderToken,
                    .invalidProviderToken,
                    .tooManyProviderTokenUpdates,
                    .forbidden,
                    .topicDisallowed,
                    .unrelatedKeyIDInToken
                )
            )
        default: .rejected(pick(.badDeviceToken, .unregistered, .expiredToken, .payloadTooLarge, .badTopic))
        }
    }
}
