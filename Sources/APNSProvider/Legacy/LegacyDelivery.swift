import APNS
import Networking

/// State of one batch on the binary interface. No I/O, no clock.
///
/// The interface confirms nothing. So a connection ends with a notification that must be refused: the error packet
/// proves those before accepted. Only discarded ones are written again.
struct LegacyDelivery {
    enum Step: Equatable {
        case write([UInt8])
        /// Nothing more to write: the answer ends the connection.
        case wait
        /// Nothing more to write, and no answer comes.
        case close
    }

    enum Next: Equatable {
        case connect
        case finish
    }

    /// Limit of a write, plus one notification; fits a TLS record.
    static let writeByteCountMax = 14 << 10
    private static let probeIdentifier = UInt32.max

    private let notifications: [LegacyNotification]
    private let command: LegacyCommand
    private let limits: LegacyLimits
    private let sendable: [Int]
    private var outcomes: [LegacyOutcome?]

    private var position = 0
    private var connectionCount = 0
    /// Consecutive connections that settled nothing.
    private var failureCount = 0

    private var sent: LegacySentRing<Int>
    private var isProbeSent = false
    private var isSettled = false
    private var hasProgress = false

    init(_ notifications: [LegacyNotification], as command: LegacyCommand, limits: LegacyLimits) {
        self.notifications = notifications
        self.command = command
        self.limits = limits
        sent = LegacySentRing(capacity: limits.sentCountMax)
        var sendable: [Int] = []
        var outcomes = [LegacyOutcome?](repeating: nil, count: notifications.count)
        for (index, notification) in notifications.enumerated() {
            do throws(LegacyNotificationError) {
                try notification.check(for: command)
                sendable.append(index)
            } catch {
                outcomes[index] = .notSendable(error)
            }
        }
        self.sendable = sendable
        self.outcomes = outcomes
    }

    mutating func start() -> Next { next(after: .connection(.connectionClosed)) }

    mutating func step() -> Step {
        if isSettled { return .close }
        var bytes: [UInt8] = []
        while bytes.count < Self.writeByteCountMax, !isProbeSent {
            guard position < sendable.count, sent.count < sent.capacity else {
                guard command.isAnswered, sent.count > 0 else { break }
                LegacyNotification.appendProbe(Self.probeIdentifier, to: &bytes, as: command)
                isProbeSent = true
                break
            }
            append(sendable[position], to: &bytes)
            position += 1
        }
        guard bytes.isEmpty else { return .write(bytes) }
        return command.isAnswered ? .wait : .close
    }

    /// The identifier on the wire is the place in the batch, from 1: own ones may repeat, and 0 may mean none.
    private mutating func append(_ index: Int, to bytes: inout [UInt8]) {
        var notification = notifications[index]
        notification.identifier = UInt32(truncatingIfNeeded: index &+ 1)
        do throws(LegacyNotificationError) {
            try notification.append(to: &bytes, as: command)
            sent.append(index, identifier: notification.identifier)
        } catch {
            // Already checked by `init`.
            outcomes[index] = .notSendable(error)
        }
    }

    /// Settles the connection by its first packet.
    mutating func receive(_ packet: LegacyErrorPacket) {
        guard !isSettled else { return }
        isSettled = true
        if isProbeSent, packet.identifier == Self.probeIdentifier {
            for index in sent.removeAll() { settle(index, .accepted) }
            return
        }
        let settlement = sent.settle(packet)
        for index in settlement.accepted { settle(index, .accepted) }
        if let index = settlement.refused { settle(index, .refused(packet.status)) }
        if settlement.isIdentifierKnown {
            position -= settlement.resend.count
        } else {
            for index in settlement.resend { settle(index, .unknown(.identifierUnknown)) }
        }
    }

    mutating func receiveNonsense() {
        guard !isSettled else { return }
        isSettled = true
        for index in sent.removeAll() { settle(index, .unknown(.malformedPacket)) }
    }

    /// - Parameter error: `nil` if it ended in order.
    mutating func close(_ error: TransportError?) -> Next {
        let failure = LegacyError.connection(error ?? .connectionClosed)
        let isInOrder = !command.isAnswered && error == nil
        for index in sent.removeAll() { settle(index, isInOrder ? .written : .unknown(failure)) }
        failureCount = hasProgress ? 0 : failureCount + 1
        return next(after: failure)
    }

    mutating func abandon(_ error: TransportError) { giveUp(.connection(error)) }

    /// In order. After `.finish` only.
    var result: [LegacyOutcome] { outcomes.map { $0 ?? .notSent(.connection(.connectionClosed)) } }

    private mutating func settle(_ index: Int, _ outcome: LegacyOutcome) {
        outcomes[index] = outcome
        hasProgress = true
    }

    private mutating func next(after failure: LegacyError) -> Next {
        guard position < sendable.count else { return .finish }
        guard failureCount < limits.failureCountMax else {
            giveUp(failure)
            return .finish
        }
        guard connectionCount < limits.connectionCountMax else {
            giveUp(.tooManyConnections(countMax: limits.connectionCountMax))
            return .finish
        }
        connectionCount += 1
        (isProbeSent, isSettled, hasProgress) = (false, false, false)
        return .connect
    }

    private mutating func giveUp(_ failure: LegacyError) {
        for place in position..<sendable.count { outcomes[sendable[place]] = .notSent(failure) }
        position = sendable.count
    }
}
