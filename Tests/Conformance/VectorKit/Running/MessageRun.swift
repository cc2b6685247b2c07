package import Envelope
import Foundation
import Keys
import NotificationCore
package import Opening
import Platform
import Primitives
import TestSupport
import WebPush

/// Runs vectors of the kind `message`: one device, pushes in order.
package enum MessageRun {
    package static func run(_ vector: Vector) throws -> VectorRun.Result {
        let folder = try TemporaryFolder()
        let device = try VectorDevice(vector, newFolder: folder.path + "/device")
        var expected: [String] = []
        var actual: [String] = []
        let elapsed = vector.values("elapsed")
        let uptimes = vector.values("uptime")
        let confirmed = vector.values("confirmed")
        for (index, (line, now)) in zip(vector.lines, try vector.timeOfEach("now")).enumerated() {
            if index < uptimes.count { try device.setUptime(uptimes[index], of: vector) }
            if index < confirmed.count, confirmed[index] != "-" {
                try device.confirm(Timestamp(milliseconds: try vector.number("confirmed", confirmed[index][...])))
            }
            expected.append("\(vector.values("expect")[index]) \(vector.values("shows")[index])")
            let opened = device.open(payload: line, now: now)
            actual.append("\(opened.outcome.name) \(opened.outcome.shows)")
            let isKilled = index < elapsed.count && elapsed[index] == "died"
            if !isKilled { try device.commit(opened) }
        }
        return VectorRun.Result(expected: expected, actual: actual)
    }
}

package final class VectorDevice {
    private let opener: PushOpener
    private let window: ReplayWindow?
    private let uptime = Guarded(Uptime(milliseconds: 0, boot: 1))

    /// Makes the device of a vector of the kind `message`, and the folder for its replay window.
    package init(_ vector: Vector, newFolder folder: String) throws {
        let contacts = try Self.contacts(of: vector)
        if vector.value("store") != nil {
            window = nil
        } else {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            var random = SystemRandom()
            let uptime = uptime
            window = try ReplayWindow(folder: folder, ifMissing: .create, random: &random) { uptime.withLock { $0 } }
        }
        if let window { try Self.raiseFloors(of: window, vector) }
        let replay =
            window.map { MessageOpener.ReplayProtection.window($0) }
            ?? (vector.value("store") == "unavailable" ? .unavailable : .none)
        let messages = MessageOpener(
            keyRing: try Self.keyRing(of: vector),
            contacts: contacts,
            replay: replay,
            policy: try Self.policy(of: vector),
            pushClass: vector.value("class") == "voip" ? .voip : .alert
        )
        let webPush = try vector.value("web-push").map { try WebPushRun.opener(vector, $0) }
        opener = PushOpener(messages: .success(messages), webPush: webPush, replay: replay)
    }

    /// Opens a payload. iOS hands over a dictionary, and its reading of JSON that is not strict is not ours to judge:
    /// here such a payload is malformed.
    package func open(payload: [UInt8], now: Timestamp) -> OpenedPush {
        let limits = JSONParser.Limits(byteCountMax: 1 << 16, depthMax: 32, allowsFractions: true)
        var userInfo: [AnyHashable: Any] = [:]
        do {
            guard let members = try JSONParser.parse(payload, limits: limits).members else {
                return OpenedPush(outcome: .malformed, claim: nil)
            }
            for member in members { userInfo[member.name] = member.value.string ?? NSNull() }
        } catch {
            return OpenedPush(outcome: .malformed, claim: nil)
        }
        return opener.open(userInfo: userInfo, now: now)
    }

    /// Sets the number of the device's start, and the milliseconds since.
    func setUptime(_ words: String, of vector: Vector) throws {
        let words = words.split(separator: " ")
        guard words.count == 2 else { throw VectorError.malformed(vector: vector.name, field: "uptime") }
        let boot = try vector.number("uptime", words[0])
        let milliseconds = try vector.number("uptime", words[1])
        uptime.withLock { $0 = Uptime(milliseconds: milliseconds, boot: boot) }
    }

    func confirm(_ time: Timestamp) throws { try window?.confirm(time) }

    package func commit(_ opened: OpenedPush) throws {
        if let claim = opened.claim { try window?.commit(claim) }
    }

    private static func keyRing(of vector: Vector) throws -> KeyRing {
        let identity = try IdentityKey(rawRepresentation: try vector.bytes("identity"))
        var held: [PrivatePrekey] = []
        var locked: [PrekeyID] = []
        var destroyed: [PrekeyID] = []
        for line in vector.values("prekey") {
            let words = line.split(separator: " ")
            guard words.count >= 3, words[0] == "1", let raw = UInt8(words[1]),
                let protectionClass = ProtectionClass(rawValue: raw)
            else { throw VectorError.malformed(vector: vector.name, field: "prekey") }
            guard words.count == 4 else {
                let key = try X25519PrivateKey(rawRepresentation: try vector.secret("prekey", words[2]))
                held.append(
                    PrivatePrekey(key: key, suite: .x25519, protectionClass: protectionClass, identity: identity)
                )
                continue
            }
            guard let id = PrekeyID(Array(try vector.bytes("prekey", words[3]).prefix(PrekeyID.byteCount))) else {
                throw VectorError.malformed(vector: vector.name, field: "prekey")
            }
            if words[2] == "locked" { locked.append(id) } else { destroyed.append(id) }
        }
        return KeyRing(
            topic: try BundleID(try vector.required("topic")),
            identity: identity,
            prekeys: held,
            lockedIDs: locked,
            destroyedIDs: destroyed
        )
    }

    static func contacts(of vector: Vector) throws -> ContactList {
        var list = ContactList()
        for line in vector.values("contact") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[1] == "person" || words[1] == "service" else {
                throw VectorError.malformed(vector: vector.name, field: "contact")
            }
            try list.add(
                Contact(
                    key: try SenderKey(rawRepresentation: try vector.bytes("contact", words[0])),
                    role: words[1] == "person" ? .person : .service,
                    name: nil,
                    rights: try rights(words[2], vector)
                )
            )
        }
        for line in vector.values("retired") {
            let words = line.split(separator: " ")
            guard words.count == (words.dropFirst().first == "superseded" ? 4 : 3) else {
                throw VectorError.malformed(vector: vector.name, field: "retired")
            }
            let successor =
                words.count == 4 ? try SenderKey(rawRepresentation: try vector.bytes("retired", words[3])) : nil
            list.retire(
                try SenderKey(rawRepresentation: try vector.bytes("retired", words[0])),
                RetiredKey(
                    successor: successor,
                    announcedAt: Timestamp(milliseconds: try vector.number("retired", words[2]))
                )
            )
        }
        return list
    }

    private static func rights(_ text: Substring, _ vector: Vector) throws -> ContactRights {
        let named: [Substring: ContactRights] = [
            "-": [], "call": .call, "critical": .critical, "time-sensitive": .timeSensitive, "links": .links,
        ]
        return try text.split(separator: ",").reduce(into: []) { rights, name in
            guard let right = named[name] else { throw VectorError.malformed(vector: vector.name, field: "contact") }
            rights.formUnion(right)
        }
    }

    private static func policy(of vector: Vector) throws -> OpeningPolicy {
        var names = OpeningPolicy.AllowedNames()
        for line in vector.values("allow") {
            guard let space = line.firstIndex(of: " ") else {
                throw VectorError.malformed(vector: vector.name, field: "allow")
            }
            let name = String(line[line.index(after: space)...])
            switch line[..<space] {
            case "category": names.categories.insert(name)
            case "sound": names.sounds.insert(name)
            case "user-info": names.userInfo.insert(name)
            default: throw VectorError.malformed(vector: vector.name, field: "allow")
            }
        }
        let lifetime = try vector.value("lifetime-max").map { try vector.number("lifetime-max", $0) }
        var policy = OpeningPolicy(
            lifetimeMax: lifetime.map { .milliseconds(Int64($0)) } ?? .seconds(7 * 86_400),
            person: names,
            service: names
        )
        if let attachments = vector.value("attachments") {
            guard attachments == "refused" else {
                throw VectorError.malformed(vector: vector.name, field: "attachments")
            }
            policy.attachmentRoles = []
        }
        policy.buildDate = try vector.time("build-date")
        return policy
    }

    /// Raises floors, as forgotten ids do: it adds one more than a sender may have.
    private static func raiseFloors(of window: ReplayWindow, _ vector: Vector) throws {
        for line in vector.values("floor") {
            let words = line.split(separator: " ")
            guard words.count == 2 else { throw VectorError.malformed(vector: vector.name, field: "floor") }
            let sender = try SenderKey(rawRepresentation: try vector.bytes("floor", words[0]))
            let floor = Timestamp(milliseconds: try vector.number("floor", words[1]))
            for number in 0..<UInt64(4_097) {
                var id = [UInt8](repeating: 0xFF, count: 8)
                id.append(bigEndian: number)
                let stamp = MessageStamp(
                    sender: sender,
                    messageID: id,
                    sentAt: floor.advanced(by: .seconds(-3_600)),
                    expiresAt: floor
                )
                _ = try window.claim(stamp)
            }
        }
    }
}
