import Envelope
import Keys
import Opening
import Primitives
import Sealing
import TestSupport
import VectorKit

/// Jobs as lines of JSON, so that thousands can be compared without a process for each.
enum LineProtocol {
    private static let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 16, allowsFractions: false)

    /// A job of a sender → a payload, or `{"refused":…}`. The names are in Tests/Conformance/Interop/README.md.
    static func seal() throws {
        while let line = readLine() {
            let job = try JSONParser.parse(Array(line.utf8), limits: limits)
            do {
                print(try payload(job: job))
            } catch RecipientError.bundle(let refusal) {
                print(#"{"refused":"\#(refusal.name)"}"#)
            } catch RecipientError.noPrekey {
                print(#"{"refused":"no-such-class"}"#)
            }
        }
    }

    /// A push → its outcome. Lines with one `window` are one device.
    static func open() throws {
        let folder = try TemporaryFolder()
        var devices: [String: VectorDevice] = [:]
        var number = 0
        while let line = readLine() {
            let job = try JSONParser.parse(Array(line.utf8), limits: limits)
            number += 1
            let name = job["window"]?.string
            let device = try name.flatMap { devices[$0] } ?? device(job, folder: folder.path("\(number)"))
            if let name { devices[name] = device }
            let now = Timestamp(milliseconds: UInt64(try integer("now", of: job)))
            let opened = device.open(payload: Array(try text("payload", of: job).utf8), now: now)
            try device.commit(opened)
            let shows = opened.outcome.shows
            print(#"{"expect":"\#(opened.outcome.name)","shows":\#(shows == "-" ? "null" : shows)}"#)
        }
    }

    private static func payload(job: JSONValue) throws -> String {
        let sentAt = Timestamp(milliseconds: UInt64(try integer("sent-at", of: job)))
        let recipient = try Recipient(
            bundle: try bytes("bundle", of: job),
            pinnedIdentity: try IdentityKey(rawRepresentation: try bytes("pinned", of: job)),
            topic: try BundleID(try text("topic", of: job)),
            protectionClass: ProtectionClass(rawValue: UInt8(try integer("class", of: job))) ?? .afterFirstUnlock,
            withoutPinsAt: sentAt
        )
        guard let message = job["message"] else { throw MissingMember(name: "message") }
        var random = SystemRandom()
        let sealed = try SenderIdentity(seed: try bytes("sender-secret", of: job)).seal(
            try Message(sealedBody: JSONWriter.bytes(of: message)),
            for: recipient,
            sentAt: sentAt,
            lifetime: .milliseconds(try integer("lifetime-ms", of: job)),
            overflow: .shorten,
            pushClass: job["push-class"]?.string == "voip" ? .voip : .alert,
            random: &random
        )
        return String(decoding: sealed.payload(placeholder: try Placeholder(localizationKey: "SP_NEW")), as: UTF8.self)
    }

    private static func device(_ job: JSONValue, folder: String) throws -> VectorDevice {
        try VectorDevice(try vector(job), newFolder: folder)
    }

    private static func vector(_ job: JSONValue) throws -> Vector {
        var vector = Vector(name: "line")
        for name in ["topic", "identity"] { vector.add(name, try text(name, of: job)) }
        for (name, list) in [("prekey", "prekeys"), ("contact", "contacts"), ("allow", "allow")] {
            for element in job[list]?.elements ?? [] {
                guard let text = element.string else { throw MissingMember(name: list) }
                vector.add(name, text)
            }
        }
        // A single push needs no window, whose file would cost more than all the rest.
        if job["window"] == nil { vector.add("store", "none") }
        if let pushClass = job["push-class"]?.string { vector.add("class", pushClass) }
        vector.add("build-date", "\(try integer("build-date", of: job))")
        return vector
    }

    private static func text(_ name: String, of job: JSONValue) throws -> String {
        guard let text = job[name]?.string else { throw MissingMember(name: name) }
        return text
    }

    private static func bytes(_ name: String, of job: JSONValue) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(Array(try text(name, of: job).utf8)) else { throw MissingMember(name: name) }
        return bytes
    }

    private static func integer(_ name: String, of job: JSONValue) throws -> Int64 {
        guard case .integer(let number) = job[name]?.content, number >= 0 else { throw MissingMember(name: name) }
        return number
    }

    private struct MissingMember: Error {
        let name: String
    }
}
