private import Envelope
private import Keys
private import NotificationCore
private import Opening
private import Primitives
private import Sealing

/// Good and bad pushes for one device, in fixed proportions.
struct PushMix: ~Copyable {
    /// Fault of a push; `fresh` has none.
    enum Kind: CaseIterable {
        case fresh, repeated, altered, cut, foreignKey, expired, stranger, notSealed, notText

        /// Share in percent.
        var share: Int {
            switch self {
            case .fresh: 50
            case .repeated, .altered: 10
            case .cut, .foreignKey, .expired, .stranger, .notSealed, .notText: 5
            }
        }
    }

    private static let bodies = [
        "Lunch at noon?", "👩‍👩‍👧 Grüße, пример, 例え", String(repeating: "a long story ", count: 180),
    ]

    static var bodyByteCountMax: Int { bodies.map(\.utf8.count).max() ?? 0 }

    private var random = SystemRandom()
    private let sender: SenderIdentity
    private let stranger: SenderIdentity
    private let device: Recipient
    private let otherDevice: Recipient
    private let schedule: [Kind]
    private var last: [UInt8] = []

    private init(
        sender: consuming SenderIdentity,
        stranger: consuming SenderIdentity,
        device: Recipient,
        other: Recipient
    ) {
        self.sender = sender
        self.stranger = stranger
        self.device = device
        otherDevice = other
        schedule = Kind.allCases.flatMap { Array(repeating: $0, count: $0.share) }
    }

    /// Installs the device into the container that its extension reads.
    ///
    /// - Parameter containerPath: An existing, empty folder.
    static func install(containerPath: String) throws(BenchError) -> PushMix {
        var random = SystemRandom()
        do {
            let topic = try BundleID("com.example.chat")
            let keys = DeviceKeys(topic: topic, random: &random)
            let otherKeys = DeviceKeys(topic: topic, random: &random)
            let sender = SenderIdentity(random: &random)
            try SharedContainer(path: containerPath).install(
                keys: keys,
                contacts: ContactList(people: [sender.publicKey])
            )
            var mix = PushMix(
                sender: sender,
                stranger: SenderIdentity(random: &random),
                device: try recipient(keys),
                other: try recipient(otherKeys)
            )
            mix.last = try mix.field(of: .fresh, number: 0)
            return mix
        } catch {
            throw .operationFailed
        }
    }

    /// The payload of push `number`; every hundred in a row have the proportions.
    mutating func payload(number: Int) throws(BenchError) -> [UInt8] {
        // 37 and 100 have no common divisor: a hundred numbers in a row are a hundred places.
        let kind = schedule[number * 37 % schedule.count]
        let sealed: String
        switch kind {
        case .notSealed: sealed = ""
        case .notText: sealed = #","sealed":{"a":1}"#
        case .fresh, .repeated, .altered, .cut, .foreignKey, .expired, .stranger:
            sealed = #","sealed":""# + String(decoding: try field(of: kind, number: number), as: UTF8.self) + "\""
        }
        let alert = #"{"aps":{"alert":{"title":"Acme Chat","body":"You have a new message"},"mutable-content":1}"#
        return Array((alert + sealed + "}").utf8)
    }

    private mutating func field(of kind: Kind, number: Int) throws(BenchError) -> [UInt8] {
        switch kind {
        case .fresh:
            last = try seal(by: sender, for: device, number: number)
            return last
        case .altered:
            let place = Int(random.bytes(count: 2).reduce(0) { $0 << 8 | UInt16($1) }) % last.count
            var altered = last
            altered[place] = altered[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return altered
        case .cut: return Array(last.dropLast(number % 4 + 1))
        case .foreignKey: return try seal(by: sender, for: otherDevice, number: number)
        case .stranger: return try seal(by: stranger, for: device, number: number)
        case .expired: return try seal(by: sender, for: device, number: number, age: .seconds(7_200))
        case .repeated, .notSealed, .notText: return last
        }
    }

    private func seal(
        by sender: borrowing SenderIdentity,
        for recipient: Recipient,
        number: Int,
        age: Duration = .zero
    ) throws(BenchError) -> [UInt8] {
        let sentAt = Timestamp(milliseconds: Timestamp.now.milliseconds - UInt64(age.components.seconds) * 1_000)
        let message = Message(title: "Ada", body: Self.bodies[number % Self.bodies.count], threadID: "chat-7")
        do {
            return try sender.seal(message, for: recipient, sentAt: sentAt, lifetime: .seconds(3_600)).envelope
                .sealedField
        } catch {
            throw .operationFailed
        }
    }

    private static func recipient(_ keys: borrowing DeviceKeys) throws -> Recipient {
        try Recipient(
            bundle: keys.bundle(now: .now),
            pinnedIdentity: keys.identity,
            topic: keys.topic,
            withoutPinsAt: .now
        )
    }
}
