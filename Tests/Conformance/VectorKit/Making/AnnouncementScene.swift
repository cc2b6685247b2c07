import Envelope
import Keys
import Primitives
import TestSupport

/// An announcement, honest unless a part is changed.
struct AnnouncementRecipe {
    var kind: UInt8 = 1
    var senderSeed: [UInt8]
    var successorSeed: [UInt8]
    /// Signing keys; the senders' own without them.
    var senderSigner: [UInt8]?
    var successorSigner: [UInt8]?
    var context: String? = "SealedPush/1 sender"
    var topic = Actors.topic
    var announcedAt = Actors.start
    var change: (inout [UInt8]) -> Void = { _ in }

    func bytes() throws -> [UInt8] {
        var bytes = [1, kind] + (try Actors.publicKey(ofSeed: senderSeed))
        bytes.append(bigEndian: announcedAt)
        bytes.append(lengthPrefixed: Array(topic.utf8))
        if kind == 1 {
            bytes += try Actors.publicKey(ofSeed: successorSeed)
            bytes += try signature(successorSigner ?? successorSeed, over: bytes)
        }
        bytes += try signature(senderSigner ?? senderSeed, over: bytes)
        change(&bytes)
        return bytes
    }

    private func signature(_ seed: [UInt8], over content: [UInt8]) throws -> [UInt8] {
        var input: [UInt8] = []
        if let context { input.append(lengthPrefixed: Array(context.utf8)) }
        return try Actors.signingKey(seed: seed).signature(over: input + content)
    }
}

struct AnnouncementScene {
    var actors: Actors
    private var vector: Vector
    private var successorSeed: [UInt8]
    private var inputs: [(bytes: [UInt8], expect: String, now: UInt64)] = []

    init(_ name: String, _ title: String, cases: [Int] = [], isKnown: Bool = true) throws {
        let name = "announcement-" + name
        actors = try Actors(name: name)
        successorSeed = actors.random.bytes(count: 32)
        vector = Vector(name: name, title: title, kind: "announcement", cases: cases, rules: [])
        vector.add("topic", Actors.topic)
        if isKnown { vector.add("contact", "\(Base64URL.string(actors.senderKey.rawRepresentation)) person -") }
    }

    mutating func newSeed() -> [UInt8] { actors.random.bytes(count: 32) }

    mutating func hand(_ expect: String, _ change: (inout AnnouncementRecipe) throws -> Void = { _ in }) throws {
        var recipe = AnnouncementRecipe(senderSeed: actors.senderSeed, successorSeed: successorSeed)
        try change(&recipe)
        inputs.append((try recipe.bytes(), expect, Actors.start))
    }

    mutating func handAgain(_ expect: String, now: UInt64 = Actors.start) {
        hand(inputs.count - 1, again: expect, now: now)
    }

    mutating func hand(_ index: Int, again expect: String, now: UInt64 = Actors.start) {
        inputs.append((inputs[index].bytes, expect, now))
    }

    /// Adds the device's knowledge at the end, by this implementation.
    func finished() throws -> Vector {
        var vector = vector
        for input in inputs { vector.add("now", "\(input.now)") }
        for input in inputs { vector.add("expect", input.expect) }
        vector.input = Array(inputs.map { Base64URL.encode($0.bytes) }.joined(separator: [UInt8(ascii: "\n")]))
        for line in try AnnouncementRun(vector).lines { vector.add("knows", line) }
        return vector
    }
}
