import APNS
import DeviceLink
import Envelope

/// Registration as a line of the token file.
struct TokenRecord: Equatable, Sendable {
    /// Index among all: from 0, without gaps.
    var number: UInt32
    var app: RegisteredApp
    /// Our number of the device, from 1.
    var device: UInt32
    var generation: UInt16
    var salt: UInt32
    /// Hash of the device's key; 0 without a certificate.
    var owner: UInt64
    /// Base registration and the name beside it; `nil` for a base.
    var base: UInt32?
    var instance: [UInt8] = []
    var status = Status.active

    enum Status: Equatable, Sendable {
        case active
        /// Milliseconds since 1970, as in the next two.
        case unregistered(Int64)
        case expired(Int64)
        case replaced(Int64)
    }

    /// Malformed field of a line, without its content.
    enum Field: String, Error, CaseIterable, Sendable {
        case count = "number of fields"
        case number, kind
        case bundleID = "bundle id"
        case device, generation, salt, owner, base, instance, status
    }

    var line: [UInt8] {
        let fields = [
            "\(number)", app.kind.name, "\(app.bundleID)", "\(device)", "\(generation)", "\(salt)",
            "\(owner)",
            base.map { "\($0)" } ?? "-", instance.isEmpty ? "-" : Base64URL.string(instance), status.text,
        ]
        return Array((fields.joined(separator: " ") + "\n").utf8)
    }

    /// - Parameter line: without its end. A record has one spelling.
    /// - Throws: the first malformed field.
    init(line: some Collection<UInt8>) throws(Field) {
        let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == Field.allCases.count - 1 else { throw .count }
        number = try Self.integer(fields[0], .number)
        guard let kind = TokenKind(name: fields[1]) else { throw .kind }
        // `try?`: the caller needs only the field.
        guard let bundleID = try? Topic(bundleID: fields[2]) else { throw .bundleID }
        app = RegisteredApp(bundleID: bundleID, kind: kind)
        device = try Self.integer(fields[3], .device)
        guard device > 0 else { throw .device }
        generation = try Self.integer(fields[4], .generation)
        salt = try Self.integer(fields[5], .salt)
        owner = try Self.integer(fields[6], .owner)
        base = fields[7] == "-" ? nil : try Self.integer(fields[7], .base)
        guard base.map({ $0 < number }) ?? true else { throw .base }
        if fields[8] != "-" {
            guard let bytes = Base64URL.decode(text: fields[8]), !bytes.isEmpty,
                bytes.count <= TokenRegistration.instanceByteCountMax, base != nil
            else { throw .instance }
            instance = bytes
        }
        guard let status = Status(text: fields[9]) else { throw .status }
        self.status = status
    }

    init(
        number: UInt32,
        app: RegisteredApp,
        device: UInt32,
        generation: UInt16,
        salt: UInt32,
        owner: UInt64
    ) {
        (self.number, self.app, self.device) = (number, app, device)
        (self.generation, self.salt, self.owner) = (generation, salt, owner)
    }

    /// Digits alone, without leading zeros.
    fileprivate static func integer<Number: FixedWidthInteger>(_ text: String, _ field: Field)
        throws(Field) -> Number
    {
        guard let number = Number(text), "\(number)" == text else { throw field }
        return number
    }
}

extension TokenRecord.Status {
    fileprivate var text: String {
        switch self {
        case .active: "active"
        case .unregistered(let time): "unregistered@\(time)"
        case .expired(let time): "expired@\(time)"
        case .replaced(let time): "replaced@\(time)"
        }
    }

    fileprivate init?(text: String) {
        guard text != "active" else {
            self = .active
            return
        }
        let sides = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2,
            // `try?`: the caller names the field.
            let time: Int64 = try? TokenRecord.integer(sides[1], .status), time < .max
        else { return nil }
        switch sides[0] {
        case "unregistered": self = .unregistered(time)
        case "expired": self = .expired(time)
        case "replaced": self = .replaced(time)
        default: return nil
        }
    }
}
