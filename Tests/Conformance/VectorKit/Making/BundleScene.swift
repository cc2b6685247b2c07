import Envelope
import Keys
import Primitives
import TestSupport

/// A bundle, honest unless a part is changed.
struct BundleRecipe {
    struct Entry {
        var suite: UInt8 = 1
        var protectionClass: UInt8
        var notBefore = Actors.start - 86_400_000
        var notAfter = Actors.start + 30 * 86_400_000
        var key: [UInt8]
    }

    var identitySeed: [UInt8]
    /// Seed of the signing key; the identity's own without it.
    var signerSeed: [UInt8]?
    var context: String? = "SealedPush/1 bundle"
    var topic = Actors.topic
    var epoch = Actors.start
    var issuedAt = Actors.start
    var entries: [Entry] = []
    var change: (inout [UInt8]) -> Void = { _ in }
    private var random: SeededRandom

    init(_ actors: inout Actors) throws {
        identitySeed = actors.identitySeed
        random = SeededRandom(seed: actors.random.next())
        entries = [try entry(protectionClass: 1)]
    }

    mutating func entry(protectionClass: UInt8) throws -> Entry {
        let key = try Actors.agreementKey(random.bytes(count: 32))
        return Entry(protectionClass: protectionClass, key: key.publicKey.rawRepresentation)
    }

    func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = [1] + (try Actors.publicKey(ofSeed: identitySeed))
        bytes.append(bigEndian: epoch)
        bytes.append(bigEndian: issuedAt)
        bytes.append(lengthPrefixed: Array(topic.utf8))
        bytes.append(UInt8(entries.count))
        for entry in entries {
            bytes += [entry.suite, entry.protectionClass]
            bytes.append(bigEndian: entry.notBefore)
            bytes.append(bigEndian: entry.notAfter)
            bytes += entry.key
        }
        var input: [UInt8] = []
        if let context { input.append(lengthPrefixed: Array(context.utf8)) }
        bytes += try Actors.signingKey(seed: signerSeed ?? identitySeed).signature(over: input + bytes)
        change(&bytes)
        return bytes
    }
}

struct BundleScene {
    var actors: Actors
    private var vector: Vector
    private var offers: [(bytes: [UInt8], expect: String)] = []

    init(_ name: String, _ title: String, cases: [Int] = [], rules: [Int] = [], pin: String? = nil) throws {
        actors = try Actors(name: "bundle-" + name)
        vector = Vector(name: "bundle-" + name, title: title, kind: "bundle", cases: cases, rules: rules)
        vector.add("pinned", Base64URL.string(actors.identity.rawRepresentation))
        vector.add("topic", Actors.topic)
        if let pin { vector.add("pin", pin) }
    }

    mutating func offer(_ expect: String, _ change: (inout BundleRecipe) throws -> Void = { _ in }) throws {
        var recipe = try BundleRecipe(&actors)
        try change(&recipe)
        offers.append((try recipe.bytes(), expect))
    }

    mutating func offerAgain(_ expect: String) {
        guard let last = offers.last else { preconditionFailure("nothing was offered yet") }
        offers.append((last.bytes, expect))
    }

    var finished: Vector {
        var vector = vector
        for _ in offers { vector.add("now", "\(Actors.start)") }
        for offer in offers { vector.add("expect", offer.expect) }
        vector.input = Array(offers.map { Base64URL.encode($0.bytes) }.joined(separator: [UInt8(ascii: "\n")]))
        return vector
    }
}
