import Envelope
package import Keys
private import Platform

// List's file: a line for each contact, words separated by one space, sorted by key.
//
//     sealedpush-contacts-1
//     unknown-senders refuse                              (or placeholder)
//     sealedpush-sender-1:<43 characters> person -
//     sealedpush-sender-1:<43 characters> service call,links Acme Chat
//     sealedpush-sender-1:<43 characters> superseded 1800000000000 sealedpush-sender-1:<43 characters>
//     sealedpush-sender-1:<43 characters> revoked 1800000000000
//
// The last two are retired keys with the time of the announcement, sorted after the contacts. Without the first line
// each line is a person's key. Empty lines and lines that begin with # are skipped. One bad line refuses the file: half
// a list would make contacts strangers.
extension ContactList {
    static let byteCountMax = 1 << 20
    static let format = "sealedpush-contacts-1"
    private static let unknownSendersName = "unknown-senders"
    private static let supersededWord = "superseded"
    private static let revokedWord = "revoked"

    package init(file path: String) throws(FileError) {
        let bytes = try WholeFile.read(path, byteCountMax: Self.byteCountMax)
        do {
            try self.init(encoded: bytes)
        } catch {
            guard !PrivateFile.isKeyFile(String(decoding: bytes, as: UTF8.self)) else { throw .privateKey(path: path) }
            throw .malformed(path: path, expected: "a line '\(SenderOwner.textPrefix)…' for each sender")
        }
    }

    /// Atomic, mode 0600. The extension reads it while the device is locked.
    package func write(to path: String) throws(FileError) {
        try WholeFile.write(encoded, to: path, access: .protected(.untilFirstUnlock))
    }

    var encoded: [UInt8] {
        let head = "\(Self.format)\n\(Self.unknownSendersName) \(unknownSenders.fileWord)\n"
        let lines = contacts.map { contact in
            let name = contact.name.map { " " + $0 } ?? ""
            return "\(contact.key.text) \(contact.role.fileWord) \(contact.rights.fileWord)\(name)\n"
        }
        let retired = retiredKeys.sorted { $0.key.text < $1.key.text }.map { key, retired in
            let word = retired.successor == nil ? Self.revokedWord : Self.supersededWord
            let successor = retired.successor.map { " " + $0.text } ?? ""
            return "\(key.text) \(word) \(retired.announcedAt.milliseconds)\(successor)\n"
        }
        return Array((head + lines.joined() + retired.joined()).utf8)
    }

    init(encoded bytes: [UInt8]) throws(ContactListError) {
        var lines = Self.lines(of: bytes)
        if lines.first.map({ $0.elementsEqual(Self.format.utf8) }) == true {
            lines.removeFirst()
            try self.init(lines: lines)
        } else {
            try self.init(keyLines: lines)
        }
    }

    private init(keyLines lines: [ArraySlice<UInt8>]) throws(ContactListError) {
        self.init()
        for line in lines {
            let contact = Contact(person: try Self.key(line))
            guard self.contact(for: contact.key) == nil else { continue }
            try add(contact)
        }
    }

    private init(lines: [ArraySlice<UInt8>]) throws(ContactListError) {
        guard let first = lines.first, let policy = Self.unknownSenders(first) else { throw .malformed }
        self.init(unknownSenders: policy)
        for line in lines.dropFirst() {
            let (key, entry) = try Self.entry(line)
            guard self.entry(for: key) == nil else { throw .present }
            switch entry {
            case .contact(let contact): try add(contact)
            case .retired(let retired):
                guard retiredKeys.count < Self.retiredCountMax else { throw .malformed }
                retire(key, retired)
            }
        }
    }

    static func entry(_ line: ArraySlice<UInt8>) throws(ContactListError) -> (key: SenderKey, entry: ContactEntry) {
        // A name is the rest of the line, with spaces.
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count >= 3 else { throw .malformed }
        if let retired = try retired(words.dropFirst()) { return (try key(words[0]), .retired(retired)) }
        let contact = try contact(words)
        return (contact.key, .contact(contact))
    }

    /// Nil for a line of another kind.
    private static func retired(_ words: ArraySlice<ArraySlice<UInt8>>) throws(ContactListError) -> RetiredKey? {
        guard let word = words.first else { return nil }
        let isRevoked = word.elementsEqual(revokedWord.utf8)
        guard isRevoked || word.elementsEqual(supersededWord.utf8) else { return nil }
        let rest = Array(words.dropFirst())
        guard rest.count == (isRevoked ? 1 : 2), let text = rest.first.map({ String(decoding: $0, as: UTF8.self) }),
            let milliseconds = UInt64(text), milliseconds <= Timestamp.millisecondsMax, text == "\(milliseconds)"
        else { throw .malformed }
        let successor = isRevoked ? nil : try key(rest[1])
        return RetiredKey(successor: successor, announcedAt: Timestamp(milliseconds: milliseconds))
    }

    private static func contact(_ words: [ArraySlice<UInt8>]) throws(ContactListError) -> Contact {
        guard let role = Contact.Role(fileWord: words[1]),
            let rights = ContactRights(fileWord: words[2])
        else { throw .malformed }
        let name = words.count == 4 ? String(validating: words[3], as: UTF8.self) : nil
        guard words.count == 3 || name != nil else { throw .malformed }
        return try Contact(key: key(words[0]), role: role, name: name, rights: rights)
    }

    static func unknownSenders(_ line: ArraySlice<UInt8>) -> UnknownSenderPolicy? {
        UnknownSenderPolicy.allCases.first {
            line.elementsEqual("\(unknownSendersName) \($0.fileWord)".utf8)
        }
    }

    private static func key(_ word: ArraySlice<UInt8>) throws(ContactListError) -> SenderKey {
        let prefix = SenderOwner.textPrefix.utf8
        guard word.starts(with: prefix), let bytes = Base64URL.decode(word.dropFirst(prefix.count)) else {
            throw .malformed
        }
        do {
            return try SenderKey(rawRepresentation: bytes)
        } catch {
            throw .malformed
        }
    }

    /// Trimmed, without empty lines and comments.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n")).map(trimmed).filter { line in
            line.first.map { $0 != UInt8(ascii: "#") } ?? false
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

extension ContactList {
    /// Reads the app's list.
    ///
    /// - Throws: `.notFound`, `.malformed`, `.system`.
    public init(contentsOf path: String) throws(ContactListError) {
        do {
            try self.init(file: path)
        } catch {
            throw ContactListError(error)
        }
    }

    /// Writes the list atomically, readable by the owner only.
    ///
    /// - Throws: `.system`, `.malformed` if something other than a file is in the way.
    public func save(to path: String) throws(ContactListError) {
        do {
            try write(to: path)
        } catch {
            throw ContactListError(error)
        }
    }
}

extension ContactListError {
    fileprivate init(_ error: FileError) {
        switch error {
        case .notFound: self = .notFound
        case .system(let call, _, let code): self = .system(call: call, code: code)
        case .notARegularFile, .tooLarge, .empty, .exists, .permissionsTooLoose, .exampleKey, .publicKey, .privateKey,
            .malformed:
            self = .malformed
        }
    }
}

extension Contact.Role {
    fileprivate var fileWord: String {
        switch self {
        case .person: "person"
        case .service: "service"
        }
    }

    fileprivate init?(fileWord: ArraySlice<UInt8>) {
        guard let role = Self.allCases.first(where: { fileWord.elementsEqual($0.fileWord.utf8) }) else { return nil }
        self = role
    }
}

extension UnknownSenderPolicy {
    fileprivate var fileWord: String {
        switch self {
        case .placeholder: "placeholder"
        case .refuse: "refuse"
        }
    }
}

extension ContactRights {
    private static let words: [(right: ContactRights, word: String)] = [
        (.call, "call"), (.critical, "critical"), (.timeSensitive, "time-sensitive"), (.links, "links"),
    ]
    private static let noneWord = "-"

    /// Names in order, separated by commas; a hyphen for none.
    fileprivate var fileWord: String {
        isEmpty ? Self.noneWord : Self.words.filter { contains($0.right) }.map(\.word).joined(separator: ",")
    }

    /// Accepts only output of `fileWord`, so that no right is lost silently.
    fileprivate init?(fileWord: ArraySlice<UInt8>) {
        let names = fileWord.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var rights: ContactRights = []
        for entry in Self.words where names.contains(where: { $0.elementsEqual(entry.word.utf8) }) {
            rights.insert(entry.right)
        }
        guard fileWord.elementsEqual(rights.fileWord.utf8) else { return nil }
        self = rights
    }
}
