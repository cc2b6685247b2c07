/// What was sent on one connection of the binary interface and may have to be sent again. Nothing is said of a
/// notification that was taken, so the last `capacity` are remembered, and older ones count as taken.
///
/// `Element` is what the caller needs to send it again: the notification, or its place in a queue.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API": what was sent after a
///   notification with a mistake is discarded and must be sent again.
public struct LegacySentRing<Element> {
    /// What an error packet means for what was sent.
    public struct Settlement {
        /// These were taken, in the order of sending.
        public let accepted: [Element]
        /// This one was wrong. `nil` with `.shutdown`, which blames nobody, and for an identifier that is not remembered.
        public let refused: Element?
        /// These were discarded, in the order of sending.
        public let resend: [Element]
        /// False: the packet names something that is not remembered. If it is older, all of `resend` was discarded; if it
        /// is nonsense, nobody knows.
        public let isIdentifierKnown: Bool
    }

    /// How many are remembered.
    public let capacity: Int
    private var slots: [(identifier: UInt32, element: Element)] = []
    /// The oldest, once the ring is full.
    private var head = 0

    /// - Parameter capacity: 1 or more.
    public init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    /// How many are remembered now.
    public var count: Int { slots.count }

    /// Remembers what was just written. The caller gives each an identifier of its own.
    public mutating func append(_ element: Element, identifier: UInt32) {
        guard slots.count == capacity else { return slots.append((identifier, element)) }
        slots[head] = (identifier, element)
        head = (head + 1) % capacity
    }

    /// Ends the connection's account, and forgets everything.
    public mutating func settle(_ packet: LegacyErrorPacket) -> Settlement {
        let sent = takeAll()
        // From the end: should an identifier be used twice, the later one is what may still be repaired.
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

    /// Ends the account without a packet, and forgets everything: in the order of sending.
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
