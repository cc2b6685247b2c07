import Envelope
import Keys
import Primitives

/// This implementation's results for a vector: one line for each input, to be compared with the expected ones.
package enum VectorRun {
    package struct Result: Equatable, Sendable {
        package let expected: [String]
        package let actual: [String]

        package var isAsExpected: Bool { expected == actual }
    }

    /// - Throws: `VectorError` for an invalid file; errors of the file system.
    package static func run(_ vector: Vector) throws -> Result {
        switch try vector.required("kind") {
        case "message": try MessageRun.run(vector)
        case "bundle": try bundle(vector)
        case "announcement": try AnnouncementRun.run(vector)
        case "seal": try SealRun.run(vector)
        case "json": try json(vector)
        case "base64url": try base64URL(vector)
        case "attachment-url": try attachmentURL(vector)
        case "safety-number": try safetyNumber(vector)
        case "web-push": try WebPushRun.run(vector)
        case "attachment": try AttachmentRun.run(vector)
        case let kind: throw VectorError.unknownKind(vector: vector.name, kind: kind)
        }
    }

    private static func json(_ vector: Vector) throws -> Result {
        let limits = JSONParser.Limits(
            byteCountMax: vector.input.count,
            depthMax: Message.bodyDepthMax,
            allowsFractions: false
        )
        let isValid: Bool
        do {
            _ = try JSONParser.parse(vector.input, limits: limits)
            isValid = true
        } catch {
            isValid = false
        }
        return Result(expected: [try vector.required("expect")], actual: [isValid ? "valid" : "refused"])
    }

    private static func base64URL(_ vector: Vector) throws -> Result {
        let bytes = Base64URL.decode(vector.input)
        let hex = bytes.map { $0.isEmpty ? "-" : $0.map(hexadecimal).joined() }
        // A decoded value is encoded again, and must be the same text.
        let isCanonical = bytes.map { Base64URL.encode($0) == vector.input } ?? true
        return Result(
            expected: [try vector.required("expect"), vector.value("bytes") ?? "none", "true"],
            actual: [bytes == nil ? "refused" : "valid", hex ?? "none", "\(isCanonical)"]
        )
    }

    private static func attachmentURL(_ vector: Vector) throws -> Result {
        let url = AttachmentURL(String(decoding: vector.input, as: UTF8.self))
        let names = ["expect", "host", "port", "path"]
        return Result(
            expected: names.map { vector.value($0) ?? "none" },
            actual: url.map { ["valid", $0.host, "\($0.port)", $0.path] } ?? ["refused", "none", "none", "none"]
        )
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    private static func safetyNumber(_ vector: Vector) throws -> Result {
        let one = try IdentityKey(rawRepresentation: try vector.bytes("one"))
        let other = try SenderKey(rawRepresentation: try vector.bytes("other"))
        let code = SafetyCode(one, other)
        return Result(
            expected: [try vector.required("number"), try vector.required("qr"), "match"],
            actual: [
                SafetyNumber(one, other).text, code.text, code.compare(scanned: code.text) == .match ? "match" : "no",
            ]
        )
    }

    private static func bundle(_ vector: Vector) throws -> Result {
        let identity = try IdentityKey(rawRepresentation: try vector.bytes("pinned"))
        let topic = try BundleID(try vector.required("topic"))
        var pin = try pin(of: vector)
        var verdicts: [String] = []
        for (line, now) in zip(vector.lines, try vector.timeOfEach("now")) {
            do throws(KeyBundleError) {
                guard let bytes = Base64URL.decode(line) else { throw .malformed }
                let signed = try SignedKeyBundle(bytes, pinnedIdentity: identity, topic: topic)
                _ = try signed.checked(against: pin, now: now)
                pin = signed.pin(replacing: pin, fetchedAt: now, now: now)
                verdicts.append("valid")
            } catch {
                verdicts.append(error.name)
            }
        }
        return Result(expected: vector.values("expect"), actual: verdicts)
    }

    private static func pin(of vector: Vector) throws -> BundlePin? {
        guard vector.value("pin") != nil else { return nil }
        let words = try vector.words("pin")
        guard words.count == 4, let first = UInt8(words[2]), let second = UInt8(words[3]) else {
            throw VectorError.malformed(vector: vector.name, field: "pin")
        }
        return BundlePin(
            epoch: try vector.number("pin", words[0]),
            digest: try vector.bytes("pin", words[1]),
            highestSuites: HighestSuites(afterFirstUnlock: first, unlocked: second),
            issuedAt: Timestamp(milliseconds: 0),
            fetchedAt: Timestamp(milliseconds: 0)
        )
    }
}
