import Envelope
package import Keys
private import Platform

/// Looks up one sender at a time.
package protocol SenderDirectory: Sendable {
    var unknownSenders: UnknownSenderPolicy { get }

    /// Nil for an unknown key.
    func entry(for key: SenderKey) throws(ContactListError) -> ContactEntry?
}

extension ContactList: SenderDirectory {}

/// Looks up one sender in the contact list's file, which the extension reads for every push. Parsing a thousand
/// contacts outlasts opening a message: of other lines only the prefix is checked.
package struct ContactDirectory: SenderDirectory {
    package let unknownSenders: UnknownSenderPolicy
    private let bytes: [UInt8]
    private let start: Int
    private let hasKeysOnly: Bool

    package init(file path: String) throws(FileError) {
        let bytes = try WholeFile.read(path, byteCountMax: ContactList.byteCountMax)
        do {
            try self.init(encoded: bytes)
        } catch {
            throw .malformed(path: path, expected: "the lines of a contact list")
        }
    }

    init(encoded bytes: [UInt8]) throws(ContactListError) {
        self.bytes = bytes
        var position = 0
        let first = Self.nextLine(of: bytes, from: &position)
        hasKeysOnly = first.map { !bytes[$0].elementsEqual(ContactList.format.utf8) } ?? true
        guard !hasKeysOnly else {
            unknownSenders = .placeholder
            start = 0
            return
        }
        guard let second = Self.nextLine(of: bytes, from: &position),
            let policy = ContactList.unknownSenders(bytes[second])
        else { throw .malformed }
        unknownSenders = policy
        start = position
    }

    /// True if no key is listed, not even a retired one.
    package var isEmpty: Bool {
        var position = start
        return Self.nextLine(of: bytes, from: &position) == nil
    }

    package func contact(for key: SenderKey) throws(ContactListError) -> Contact? { try entry(for: key)?.contact }

    package func entry(for key: SenderKey) throws(ContactListError) -> ContactEntry? {
        let text = Array(key.text.utf8)
        let prefix = Array(SenderOwner.textPrefix.utf8)
        var found: ContactEntry?
        let lineCountMax = ContactList.contactCountMax + ContactList.retiredCountMax
        var count = 0
        var position = start
        while let line = Self.nextLine(of: bytes, from: &position) {
            count += 1
            guard Self.begins(bytes, line, with: prefix), count <= lineCountMax else { throw .malformed }
            guard Self.begins(bytes, line, with: text) else { continue }
            guard !hasKeysOnly else {
                guard line.count == text.count else { throw .malformed }
                found = .contact(Contact(person: key))
                continue
            }
            // Two lines could grant different rights.
            guard found == nil else { throw .malformed }
            found = try ContactList.entry(bytes[line]).entry
        }
        return found
    }

    private static func nextLine(of bytes: [UInt8], from position: inout Int) -> Range<Int>? {
        while position < bytes.count {
            let end = lineEnd(of: bytes, from: position)
            let line = position..<end
            position = end + 1
            guard let range = trimmed(bytes, line), bytes[range.lowerBound] != UInt8(ascii: "#") else { continue }
            return range
        }
        return nil
    }

    private static func lineEnd(of bytes: [UInt8], from position: Int) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress,
                let end = unsafe memchr(start + position, Int32(UInt8(ascii: "\n")), buffer.count - position)
            else { return buffer.count }
            return unsafe UnsafeRawPointer(end) - start
        }
    }

    private static func trimmed(_ bytes: [UInt8], _ line: Range<Int>) -> Range<Int>? {
        var (start, end) = (line.lowerBound, line.upperBound)
        while start < end, ContactList.isSpace(bytes[start]) { start += 1 }
        while end > start, ContactList.isSpace(bytes[end - 1]) { end -= 1 }
        return start < end ? start..<end : nil
    }

    private static func begins(_ bytes: [UInt8], _ line: Range<Int>, with text: [UInt8]) -> Bool {
        guard line.count >= text.count else { return false }
        return unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.baseAddress.map { start in
                unsafe memcmp(start + line.lowerBound, text, text.count) == 0
            } ?? false
        }
    }
}
