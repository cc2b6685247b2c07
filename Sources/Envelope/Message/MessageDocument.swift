/// A message as a person writes it into a JSON file. The names are those of the sealed body, but a name that does not
/// exist is an error here: it is a typing mistake, and ignoring it would send half a message.
package enum MessageDocument {
    /// Files beyond this are no messages.
    package static let byteCountMax = 1 << 20

    /// - Throws: `MessageDocumentError`, with the place of the fault.
    package static func parse(_ bytes: [UInt8]) throws(MessageDocumentError) -> Message {
        let limits = JSONParser.Limits(
            byteCountMax: byteCountMax,
            depthMax: Message.bodyDepthMax,
            allowsFractions: false
        )
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw MessageDocumentError("\(error.reason)", at: error.offset, in: bytes)
        }
        guard let members = document.members else {
            throw MessageDocumentError("a message is a JSON object in braces", at: document.offset, in: bytes)
        }
        for member in members where MessageMember(name: member.name) == nil {
            throw MessageDocumentError(
                "there is no such member here; a message has \(namesForPeople)",
                at: member.offset,
                in: bytes
            )
        }
        do {
            return try Message(members: document)
        } catch {
            throw MessageDocumentError(error.reason.clause, at: error.offset, in: bytes)
        }
    }

    private static var namesForPeople: String {
        MessageMember.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
}

/// What is wrong with a message file, and where.
package struct MessageDocumentError: Error, Equatable {
    /// From 1.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    /// A clause without the file's contents.
    package let reason: String

    fileprivate init(_ reason: String, at offset: Int, in bytes: [UInt8]) {
        (line, column) = JSONError.position(of: offset, in: bytes)
        self.reason = reason
    }
}

extension MessageFault.Reason {
    /// For a person; names members, never their contents.
    fileprivate var clause: String {
        switch self {
        case .unsupported(.crit): "\"crit\" names a member that does not exist"
        case .unsupported: "\"op\" is one of show, replace, remove, badge, call, test"
        case .expected(let what, let member): "\"\(member.rawValue)\" must be \(what)"
        case .missing(let member): "this operation needs \"\(member.rawValue)\""
        case .outOfPlace(.target): "\"target\" belongs to replace and remove only"
        case .outOfPlace(.call): "\"call\" belongs to the operation call only"
        case .outOfPlace(let member): "\"\(member.rawValue)\" stands without its partner"
        case .noText: "a message needs a \"title\" or a \"body\""
        }
    }
}
