extension Message {
    /// Depth of the sealed body, the object itself included.
    private static let depthMax = 8

    /// Reads the sealed body of a frame.
    ///
    /// Unknown members are ignored, so that a newer sender reaches an older app; a sender that must not be
    /// misunderstood lists the names that matter in "crit".
    ///
    /// - Throws: `.malformed`, `.unsupported`, `.noText`.
    package init(sealedBody bytes: [UInt8]) throws(MessageError) {
        let limits = JSONParser.Limits(byteCountMax: bytes.count, depthMax: Self.depthMax, allowsFractions: false)
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw .malformed
        }
        guard document.members != nil else { throw .malformed }
        try Self.requireKnownCriticalNames(document)
        if let operation = document["op"] {
            guard operation.string != nil else { throw .malformed }
            // "show" is spelled by leaving "op" out; every other operation is newer than this version.
            throw .unsupported
        }
        guard document["target"] == nil else { throw .malformed }
        self.init()
        for member in Self.textMembers {
            guard let value = document[member.name] else { continue }
            guard let text = value.string else { throw .malformed }
            self[keyPath: member.path] = text
        }
        guard hasText else { throw .noText }
    }

    private static func requireKnownCriticalNames(_ document: JSONValue) throws(MessageError) {
        guard let critical = document["crit"] else { return }
        guard let names = critical.elements else { throw .malformed }
        for name in names {
            guard let name = name.string else { throw .malformed }
            guard textMembers.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { throw .unsupported }
        }
    }
}
