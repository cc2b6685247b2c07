import Envelope
import Keys
import Opening
import Sealing
import TestSupport

/// State that one search's worlds share: the phone, restored before each, the senders' keys, and the watched promises.
final class Stage {
    /// 2027-01-15.
    static let start: UInt64 = 1_800_000_000_000
    static let buildDate = OpeningPolicy.buildDate.milliseconds

    let phone: ModelPhone
    private let watched: Set<Invariant>
    private let honest: SenderIdentity
    private let hostile: SenderIdentity
    private var beginning: (image: ModelFolder.Image, world: World)?

    init(watching watched: Set<Invariant>, seed: UInt64 = 1) throws {
        var random = SeededRandom(seed: seed)
        honest = SenderIdentity(random: &random)
        hostile = SenderIdentity(random: &random)
        self.watched = watched
        phone = try ModelPhone(
            contacts: [honest.publicKey, hostile.publicKey],
            now: Timestamp(milliseconds: Self.start),
            seed: random.next()
        )
    }

    /// A device that a sender knows, and nothing else.
    func world() throws -> World {
        if let beginning {
            try put(beginning.world, beginning.image)
            return beginning.world
        }
        let world = try World(stage: self)
        beginning = (try phone.folder.image(), world)
        return world
    }

    func put(_ world: World, _ image: ModelFolder.Image) throws {
        try phone.folder.putBack(image)
        phone.setLock(world.lock)
    }

    func watches(_ invariant: Invariant) -> Bool { watched.contains(invariant) }

    /// - Returns: nil for a promise that this search does not watch.
    func watched(_ violation: Violation?) -> Violation? {
        violation.flatMap { watches($0.invariant) ? $0 : nil }
    }

    func seal(
        _ message: PreparedMessage,
        _ isHonest: Bool,
        _ recipient: Recipient,
        now: Timestamp
    ) throws -> SealedMessage {
        if isHonest { return try honest.seal(message, for: recipient, now: now) }
        return try hostile.seal(message, for: recipient, now: now)
    }
}
