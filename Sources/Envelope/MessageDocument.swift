/// A message as a person writes it into a JSON file. The names are those of the sealed body, but a name that does not
/// exist is an error here: it is a typing mistake, and ignoring it would send half a message.
package enum MessageDocument {
    /// Files beyond this are no messages.
    package static let byteCountMax = 1 << 20

    /// - Throws: `MessageDocumentError`, with the place of the fault.
    package static func parse(_ bytes: [UInt8]) throws(MessageDocumentError) -> Message {
        let limits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 8, allowsFractions: false)
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw MessageDocumentError("\(error.reason)", at: error.offset, in: bytes)
        }
        guard let members = document.members else {
            throw MessageDocumentError("a message is a JSON object in braces", at: document.offset, in: bytes)
        }
        var message = Message()
        for member in members {
            guard let path = Message.textMembers.first(where: { $0.name == member.name })?.path else {
                throw MessageDocumentError(
                    "there is no such member here; a message has \(namesForPeople)",
                    at: member.offset,
                    in: bytes
                )
            }
            guard let text = member.value.string else {
                throw MessageDocumentError("\"\(member.name)\" must be a string", at: member.value.offset, in: bytes)
            }
            message[keyPath: path] = text
        }
        guard message.hasText else {
            throw MessageDocumentError("a message needs a \"title\" or a \"body\"", at: document.offset, in: bytes)
        }
        return message
    }

    private static var namesForPeople: String {
        Message.textMembers.map { "\"\($0.name)\"" }.joined(separator: ", ")
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
