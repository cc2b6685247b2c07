import Envelope

/// Line of `seal --lines`.
struct SealLine {
    /// Message's place in time, for a re-seal; `PreparedMessage.init(resending:…)` has the rules.
    struct Again {
        let messageID: MessageID
        let sentAt: Timestamp
        let expiresAt: Timestamp
    }

    /// Text in the line, or in a file that it names.
    enum Source {
        case text(String)
        case file(String)
    }

    struct Recipient {
        /// Caller's word, which comes back.
        let device: String?
        let bundle: Source
        let identity: Source

        fileprivate static let names = ["device", "bundle", "bundle-file", "identity", "identity-file"]
        private static let deviceByteCounts = 1...256

        init(_ value: JSONValue) throws(LineError) {
            device = try value["device"].map { value throws(LineError) in
                guard let text = value.string, Self.deviceByteCounts.contains(text.utf8.count) else {
                    throw .field("\"device\" is a text of 1 to \(Self.deviceByteCounts.upperBound) bytes")
                }
                return text
            }
            bundle = try Self.source("bundle", of: value)
            identity = try Self.source("identity", of: value)
        }

        private static func source(_ name: String, of value: JSONValue) throws(LineError) -> Source {
            switch (value[name], value[name + "-file"]) {
            case (let text?, nil):
                guard let text = text.string else { throw .field("\"\(name)\" is a text") }
                return .text(text)
            case (nil, let path?):
                guard let path = path.string, !path.isEmpty, !path.utf8.contains(0) else {
                    throw .field("\"\(name)-file\" is the path of a file")
                }
                return .file(path)
            case (nil, nil), (_?, _?): throw .field("a recipient has \"\(name)\" or \"\(name)-file\"")
            }
        }
    }

    private static let names = [
        "message", "recipients", "lifetime-seconds", "too-long", "receipt", "message-id", "sent-at", "expires-at",
    ]
    private static let recipientCounts = 1...1_000
    private static let secondsMax: Int64 = 1_000_000_000

    let message: Message
    /// Read each in its turn: a wrong one harms no other.
    let recipients: [JSONValue]
    /// True for a list, whose results have numbers.
    let isList: Bool
    let lifetime: Duration?
    let overflow: Message.Overflow
    /// True if each recipient gets a receipt capability.
    let asksForReceipt: Bool
    /// nil for a new message.
    let again: Again?

    /// - Parameter line: at most `byteCountMax` bytes.
    init(_ line: [UInt8], byteCountMax: Int) throws(LineError) {
        let value = try Self.value(line, byteCountMax: byteCountMax)
        isList = value["recipients"] != nil
        try Self.checkNames(of: value, Self.names + (isList ? [] : Recipient.names))
        recipients = try isList ? Self.list(value) : [value]
        message = try Self.message(value, in: line)
        lifetime = try Self.integer("lifetime-seconds", of: value, max: Self.secondsMax).map { .seconds($0) }
        switch value["too-long"]?.string {
        case nil where value["too-long"] == nil, "shorten": overflow = .shorten
        case "refuse": overflow = .refuse
        default: throw .field("\"too-long\" is \"shorten\" or \"refuse\"")
        }
        switch value["receipt"]?.content {
        case nil: asksForReceipt = false
        case .bool(let flag): asksForReceipt = flag
        default: throw .field("\"receipt\" is true or false")
        }
        again = try Self.again(value)
        guard again == nil || lifetime == nil else {
            throw .field("a message that is sealed again has its \"expires-at\"; leave \"lifetime-seconds\" out")
        }
    }

    func recipient(_ value: JSONValue) throws(LineError) -> Recipient {
        if isList {
            guard value.members != nil else { throw .field("a recipient is an object in braces") }
            try Self.checkNames(of: value, Recipient.names)
        }
        return try Recipient(value)
    }

    private static func value(_ line: [UInt8], byteCountMax: Int) throws(LineError) -> JSONValue {
        // The message is one level down.
        let limits = JSONParser.Limits(
            byteCountMax: byteCountMax,
            depthMax: Message.bodyDepthMax + 1,
            allowsFractions: false
        )
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(line, limits: limits)
        } catch {
            throw .json("column \(JSONError.position(of: error.offset, in: line).column): \(error.reason)")
        }
        guard value.members != nil else { throw .json("a line is a JSON object in braces") }
        return value
    }

    private static func checkNames(of value: JSONValue, _ names: [String]) throws(LineError) {
        for member in value.members ?? [] where !names.contains(where: { member.name.isNamed($0) }) {
            throw .field("there is no such member here; known are \(names.joined(separator: ", "))")
        }
    }

    private static func list(_ value: JSONValue) throws(LineError) -> [JSONValue] {
        guard let list = value["recipients"]?.elements, recipientCounts.contains(list.count) else {
            throw .field("\"recipients\" is a list of 1 to \(recipientCounts.upperBound)")
        }
        return list
    }

    private static func message(_ value: JSONValue, in line: [UInt8]) throws(LineError) -> Message {
        guard let message = value["message"] else { throw .field("a line has a \"message\"") }
        do throws(MessageDocumentError) {
            return try MessageDocument.message(message, in: line)
        } catch {
            throw LineError(code: "message", detail: "column \(error.column): \(error.reason)")
        }
    }

    private static func integer(_ name: String, of value: JSONValue, max: Int64) throws(LineError) -> Int64? {
        guard let value = value[name] else { return nil }
        guard case .integer(let number) = value.content, (0...max).contains(number) else {
            throw .field("\"\(name)\" is a whole number, not less than 0")
        }
        return number
    }

    private static func again(_ value: JSONValue) throws(LineError) -> Again? {
        let max = Int64(Timestamp.millisecondsMax)
        let id = value["message-id"]
        let sentAt = try integer("sent-at", of: value, max: max)
        let expiresAt = try integer("expires-at", of: value, max: max)
        if id == nil, sentAt == nil, expiresAt == nil { return nil }
        guard let id = id?.string.flatMap({ MessageID(text: $0) }), let sentAt, let expiresAt else {
            throw .field(
                "a message that is sealed again has \"message-id\", \"sent-at\" and \"expires-at\", as its first line out did"
            )
        }
        return Again(
            messageID: id,
            sentAt: Timestamp(milliseconds: UInt64(sentAt)),
            expiresAt: Timestamp(milliseconds: UInt64(expiresAt))
        )
    }
}
