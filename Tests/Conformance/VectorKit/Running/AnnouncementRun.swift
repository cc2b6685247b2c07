import Envelope
import Keys
import Opening

/// A device's contact list, and announcements handed to it in order.
struct AnnouncementRun {
    private(set) var results: [String] = []
    /// The device's knowledge at the end: `SK contact`, `SK superseded MS SK`, `SK revoked MS`, sorted as text.
    let lines: [String]

    init(_ vector: Vector) throws {
        let topic = try BundleID(try vector.required("topic"))
        var list = try VectorDevice.contacts(of: vector)
        for (line, now) in zip(vector.lines, try vector.timeOfEach("now")) {
            do throws(SenderAnnouncementError) {
                guard let bytes = Base64URL.decode(line) else { throw .malformed }
                results.append(try list.take(SenderAnnouncement(verifying: bytes, topic: topic, now: now)).name)
            } catch {
                results.append(error.name)
            }
        }
        let contacts = list.contacts.map { Base64URL.string($0.key.rawRepresentation) + " contact" }
        let retired = list.retiredKeys.map { key, retired in
            let successor = retired.successor.map { " " + Base64URL.string($0.rawRepresentation) } ?? ""
            let word = retired.successor == nil ? "revoked" : "superseded"
            return "\(Base64URL.string(key.rawRepresentation)) \(word) \(retired.announcedAt.milliseconds)\(successor)"
        }
        lines = (contacts + retired).sorted()
    }

    static func run(_ vector: Vector) throws -> VectorRun.Result {
        let run = try AnnouncementRun(vector)
        return VectorRun.Result(
            expected: vector.values("expect") + vector.values("knows"),
            actual: run.results + run.lines
        )
    }
}

extension SenderChange {
    var name: String {
        switch self {
        case .replaced: "replaced"
        case .revoked: "revoked"
        case .unchanged: "unchanged"
        }
    }
}

extension SenderAnnouncementError {
    /// The name of docs/protocol.md, section 22.
    package var name: String {
        switch self {
        case .unsupported: "unsupported"
        case .malformed: "malformed"
        case .otherTopic: "other-topic"
        case .badSignature: "bad-signature"
        case .notYet: "not-yet"
        case .givenUp: "given-up"
        case .otherSuccessor: "other-successor"
        }
    }
}
