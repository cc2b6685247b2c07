import Envelope
package import ServiceParts

extension SidecarConfiguration {
    package static let byteCountMax = 1 << 20

    /// - Parameter file: strict JSON.
    /// - Throws: 32 faults at most, with line and column, field, and advice.
    package init(file: [UInt8]) throws(ConfigurationErrors) {
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 6, allowsFractions: true)
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONParser.parse(file, limits: limits)
        } catch {
            let place = Self.place(error.offset, in: file)
            let fault = ConfigurationError(place: place, pointer: "", problem: error.reason.description)
            throw ConfigurationErrors(faults: [fault])
        }
        let faults = FieldErrors()
        let read = Self.read(document, faults)
        guard faults.all.isEmpty, let read else {
            throw ConfigurationErrors(
                faults: faults.all.map {
                    let place = Self.place($0.offset, in: file)
                    return ConfigurationError(place: place, pointer: $0.path.pointer, problem: $0.problem)
                }
            )
        }
        self = read
    }

    private static func place(_ offset: Int, in file: [UInt8]) -> ConfigurationError.Place {
        let position = JSONError.position(of: offset, in: file)
        return .file(line: position.line, column: position.column)
    }

    private static let names = [
        "socket", "loopback", "database-file", "sender-key-file", "topic", "relay", "attachments", "limits",
    ]

    private static func read(_ document: JSONValue, _ faults: FieldErrors) -> SidecarConfiguration? {
        guard let reader = ObjectReader(document, at: .root, names: names, faults: faults) else { return nil }
        let socket = reader.object("socket", names: SocketFile.Place.names).flatMap { SocketFile.Place($0) }
        let loopback = reader.object("loopback", names: ["port", "token-file"]).flatMap { Loopback($0) }
        if reader.object["socket"] == nil, reader.object["loopback"] == nil {
            let problem =
                "missing; write \"socket\" with its \"path\", or \"loopback\" with \"port\" and \"token-file\""
            faults.add(.missing, reader.path, at: reader.object.offset, problem)
        }
        let database = reader.file("database-file", isRequired: true)
        let senderKey = reader.file("sender-key-file", isRequired: true)
        let expected = "the app's bundle id, 1 to 155 letters, digits, hyphens and periods, without a topic's suffix"
        let topic = reader.text("topic", 1...155, expected, isRequired: true) { (try? BundleID($0)) != nil }
        let relayNames = ["url", "key-file", "authorities-file"]
        let relay = reader.object("relay", names: relayNames, isRequired: true).flatMap { Relay($0) }
        let hostNames = ["url", "token-file", "authorities-file", "public-url", "folder"]
        let attachments = reader.object("attachments", names: hostNames).flatMap { Attachments($0) }
        var limits = SidecarLimits()
        if let object = reader.object("limits", names: SidecarLimits.settings.map(\.name)) { limits.read(object) }
        guard let database, let senderKey, let topic = topic.flatMap({ try? BundleID($0) }), let relay else {
            return nil
        }
        return SidecarConfiguration(
            socket: socket,
            loopback: loopback,
            databaseFile: database,
            senderKeyFile: senderKey,
            topic: topic,
            relay: relay,
            attachments: attachments,
            limits: limits
        )
    }
}

extension SidecarConfiguration.Loopback {
    init?(_ reader: ObjectReader) {
        let port = reader.integer("port", in: 0...65_535, isRequired: true)
        let file = reader.file("token-file", isRequired: true)
        guard let port, let file else { return nil }
        self.port = UInt16(port)
        tokenFile = file
    }
}

extension SidecarConfiguration.Relay {
    init?(_ reader: ObjectReader) {
        let expected = "https://host:port without a path, or http://127.0.0.1:port of a relay on this machine"
        let origin = reader.text("url", 9...300, expected, isRequired: true) { text in
            HostOrigin.isOrigin(text, scheme: "https://")
                || ["http://127.0.0.1:", "http://localhost:"].contains { text.hasPrefix($0) }
                    && HostOrigin.isOrigin(text, scheme: "http://")
        }
        let key = reader.file("key-file", isRequired: true)
        authoritiesFile = reader.file("authorities-file")
        guard let origin, let key else { return nil }
        self.origin = origin
        keyFile = key
    }
}

extension SidecarConfiguration.Attachments {
    init?(_ reader: ObjectReader) {
        let expected = "https://host:port without a path"
        func isOrigin(_ text: String) -> Bool { HostOrigin.isOrigin(text, scheme: "https://") }
        let origin = reader.text("url", 9...300, expected, isRequired: true, isValid: isOrigin)
        let token = reader.file("token-file", isRequired: true)
        authoritiesFile = reader.file("authorities-file")
        publicOrigin = reader.text("public-url", 9...300, expected, isValid: isOrigin)
        folder = reader.file("folder")
        guard let origin, let token else { return nil }
        self.origin = origin
        tokenFile = token
    }
}

enum HostOrigin {
    /// True for a scheme and a name or address, perhaps a port; no slash follows.
    static func isOrigin(_ text: String, scheme: String) -> Bool {
        guard text.hasPrefix(scheme) else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let isPlain = rest.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: [".", "-", ":", "[", "]"].contains { UInt8(ascii: $0) == byte }
            }
        }
        return isPlain && rest.first.map { $0 != UInt8(ascii: ":") } == true
    }
}

extension SidecarLimits {
    struct Setting: Sendable {
        let name: String
        let range: ClosedRange<Int64>
        let path: any WritableKeyPath<SidecarLimits, Int> & Sendable
    }

    static let settings = [
        Setting(name: "body-bytes", range: 65_536...67_108_864, path: \.bodyByteCountMax),
        Setting(name: "recipients", range: 1...1_000, path: \.recipientCountMax),
        Setting(name: "queued-recipients", range: 1...10_000_000, path: \.queuedCountMax),
        Setting(name: "queued-bytes", range: 65_536...68_719_476_736, path: \.queuedByteCountMax),
        Setting(name: "words-minutes", range: 0...60, path: \.wordsMinutes),
        Setting(name: "retention-hours", range: 1...720, path: \.retentionHours),
        Setting(name: "drain-seconds", range: 1...60, path: \.drainSeconds),
    ]

    mutating func read(_ reader: ObjectReader) {
        for setting in Self.settings {
            guard let number = reader.integer(setting.name, in: setting.range) else { continue }
            self[keyPath: setting.path] = Int(number)
        }
    }
}
