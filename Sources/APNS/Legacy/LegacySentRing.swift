/// Ring of notifications sent on one connection of the binary interface that may need a re-send.
///
/// APNs confirms nothing. The last `capacity` are remembered; older ones count as accepted. `Element` is what a re-send
/// needs: the notification, or its position in a queue.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API": what was sent after a
///   notification with an error is discarded and must be sent again.
public struct LegacySentRing<Element> {
    /// Effect of an error packet.
    public struct Settlement {
        /// Accepted notifications, in sending order.
        public let accepted: [Element]
        /// `nil` with `.shutdown`, and for an unknown identifier.
        public let refused: Element?
        /// Discarded notifications, in sending order.
        public let resend: [Element]
        /// False if the identifier is not in the ring: if older, all of `resend` was discarded; if invalid, their fate
        /// is unknown.
        public let isIdentifierKnown: Bool
    }

    /// Maximum of `count`.
    public let capacity: Int
    private var slots: [(identifier: UInt32, element: Element)] = []
    /// Index of the oldest element, once full.
    private var head = 0

    /// - Parameter capacity: 1 or more.
    public init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    /// Remembered notifications.
    public var count: Int { slots.count }

    /// Remembers a written notification.
    public mutating func append(_ element: Element, identifier: UInt32) {
        guard slots.count == capacity else { return slots.append((identifier, element)) }
        slots[head] = (identifier, element)
        head = (head + 1) % capacity
    }

    /// Applies an error packet, and empties the ring.
    public mutating func settle(_ packet: LegacyErrorPacket) -> Settlement {
        let sent = takeAll()
        // From the end: if an identifier is used twice, only the later one can be repaired.
        guard let place = sent.lastIndex(where: { $0.identifier == packet.identifier }) else {
            return Settlement(accepted: [], refused: nil, resend: sent.map(\.element), isIdentifierKnown: false)
        }
        let isTaken = packet.status == .shutdown
        return Settlement(
            accepted: sent[..<(isTaken ? place + 1 : place)].map(\.element),
            refused: isTaken ? nil : sent[place].element,
            resend: sent[(place + 1)...].map(\.element),
            isIdentifierKnown: true
        )
    }

    /// Empties the ring without a packet.
    ///
    /// - Returns: elements in sending order.
    public mutating func removeAll() -> [Element] { takeAll().map(\.element) }

    private mutating func takeAll() -> [(identifier: UInt32, element: Element)] {
        let sent = Array(slots[head...] + slots[..<head])
        slots = []
        head = 0
        return sent
    }
}

extension LegacySentRing: Sendable where Element: Sendable {}
extension LegacySentRing.Settlement: Sendable where Element: Sendable {}
extension LegacySentRing.Settlement: Equatable where Element: Equatable {}
