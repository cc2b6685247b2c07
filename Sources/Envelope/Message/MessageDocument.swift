/// Message in a JSON file: the sealed body, but unknown names are typing mistakes.
package enum MessageDocument {
    package static let byteCountMax = 1 << 20

    package static func parse(_ bytes: [UInt8]) throws(MessageDocumentError) -> Message {
        try message(try object(bytes, "a message"), in: bytes)
    }

    /// Reads a message that is a part of a document.
    ///
    /// - Parameter bytes: document, for the places of errors.
    package static func message(
        _ document: JSONValue,
        in bytes: [UInt8]
    ) throws(MessageDocumentError) -> Message {
        try checkIsObject(document, "a message", in: bytes)
        try checkNames(of: document, MessageMember.allCases.map(\.rawValue), "a message", in: bytes)
        for attachment in document[MessageMember.attachments.rawValue]?.elements ?? [] {
            try checkNames(of: attachment, AttachmentMember.allCases.map(\.rawValue), "an attachment", in: bytes)
        }
        do {
            return try Message(members: document)
        } catch {
            throw MessageDocumentError(error.reason.clause, at: error.offset, in: bytes)
        }
    }

    /// Reads one attachment's own file. `url` replaces its "url"; nil makes that required.
    package static func parseAttachment(
        _ bytes: [UInt8],
        at url: AttachmentURL? = nil
    ) throws(MessageDocumentError) -> AttachmentPointer {
        let document = try object(bytes, "an attachment")
        try checkNames(of: document, AttachmentMember.allCases.map(\.rawValue), "an attachment", in: bytes)
        do {
            return try AttachmentReader(document).pointer(at: url)
        } catch {
            throw MessageDocumentError(error.reason.clause, at: error.offset, in: bytes)
        }
    }

    private static func object(_ bytes: [UInt8], _ what: String) throws(MessageDocumentError) -> JSONValue {
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
        try checkIsObject(document, what, in: bytes)
        return document
    }

    private static func checkIsObject(
        _ value: JSONValue,
        _ what: String,
        in bytes: [UInt8]
    ) throws(MessageDocumentError) {
        guard value.members == nil else { return }
        throw MessageDocumentError("\(what) is a JSON object in braces", at: value.offset, in: bytes)
    }

    private static func checkNames(
        of object: JSONValue,
        _ names: [String],
        _ what: String,
        in bytes: [UInt8]
    ) throws(MessageDocumentError) {
        for member in object.members ?? [] where !names.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            let known = names.map { "\"\($0)\"" }.joined(separator: ", ")
            throw MessageDocumentError(
                "there is no such member here; \(what) has \(known)",
                at: member.offset,
                in: bytes
            )
        }
    }
}

package struct MessageDocumentError: Error, Equatable {
    /// From 1.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    package let reason: String

    fileprivate init(_ reason: String, at offset: Int, in bytes: [UInt8]) {
        (line, column) = JSONError.position(of: offset, in: bytes)
        self.reason = reason
    }
}

extension MessageMemberError.Reason {
    /// Without contents.
    fileprivate var clause: String {
        switch self {
        case .unsupported(.crit): "\"crit\" names a member that does not exist"
        case .unsupported: "\"op\" is one of show, replace, remove, badge, call, test"
        case .expected(let what, let member): "\"\(member.rawValue)\" must be \(what)"
        case .missing(let member): "this operation needs \"\(member.rawValue)\""
        case .outOfPlace(.target): "\"target\" belongs to replace and remove only"
        case .outOfPlace(.call): "\"call\" belongs to the operation call only: write \"op\":\"call\" beside it"
        case .outOfPlace(.attachments): "\"attachments\" belong to show and replace only"
        case .outOfPlace(let member): "\"\(member.rawValue)\" stands without its partner"
        case .attachment(let member, let what): "\"\(member.rawValue)\" of an attachment must be \(what)"
        case .noText: "a message needs a \"title\" or a \"body\""
        }
    }
}
