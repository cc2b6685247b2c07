private import Envelope
package import Primitives

/// Text format of private key files: a format line, then `name value…` lines. Secrets stay in zeroed memory, never in a
/// String.
///
///     # SealedPush example key …          (only in keys that are published)
///     sealedpush-device-key-1
///     topic com.example.chat
///     identity <base64url>
package struct KeyFile: ~Copyable {
    private let bytes: SecretBytes
    private let path: String
    private let lines: [Range<Int>]

    /// - Parameters:
    ///   - format: first line after comments.
    ///   - lineNames: no others: a misspelt name must not hide a key.
    package init(
        path: String,
        format: String,
        lineNames: [String],
        exampleKeys: PrivateFile.ExampleKeys
    ) throws(FileError) {
        let bytes = try PrivateFile.read(path, exampleKeys: exampleKeys)
        try self.init(bytes: bytes, path: path, format: format, lineNames: lineNames)
    }

    /// Form for bytes that were read. The path is for errors.
    package init(
        bytes: consuming SecretBytes,
        path: String,
        format: String,
        lineNames: [String]
    ) throws(FileError) {
        let lines = bytes.withBytes { Self.lines(of: $0) }
        let isRightFormat = bytes.withBytes { span in
            lines.first.map { Self.equals(span, $0, format) } ?? false
        }
        guard isRightFormat else { throw .malformed(path: path, expected: format) }
        let areKnown = bytes.withBytes { span in
            lines.dropFirst().allSatisfy { line in
                Self.words(of: span, in: line).first.map { word in
                    lineNames.contains { Self.equals(span, word, $0) }
                } ?? false
            }
        }
        guard areKnown else { throw Self.malformed(path) }
        self.bytes = bytes
        self.path = path
        self.lines = Array(lines.dropFirst())
    }

    /// Word ranges of every line called `name`.
    package func values(_ name: String) -> [[Range<Int>]] {
        bytes.withBytes { span in
            lines.compactMap { line in
                let words = Self.words(of: span, in: line)
                guard let first = words.first, Self.equals(span, first, name) else { return nil }
                return Array(words.dropFirst())
            }
        }
    }

    /// Text of a non-secret word.
    package func text(_ word: Range<Int>) -> String {
        bytes.withBytes { span in String(decoding: [UInt8](copying: span.extracting(word)), as: UTF8.self) }
    }

    /// Decodes a base64url secret: by default 32 bytes from 43 characters.
    package func secret(
        _ word: Range<Int>,
        byteCount: Int = 32,
        storage: SecretBytes.Storage
    ) throws(FileError) -> SecretBytes {
        guard word.count == (byteCount * 8 + 5) / 6 else { throw malformed }
        return try bytes.withBytes { span throws(FileError) in
            try SecretBytes(byteCount: byteCount, storage: storage) { output throws(FileError) in
                guard Self.decode(span.extracting(word), into: &output) else { throw malformed }
            }
        }
    }

    /// Ed25519 key from its seed, in guarded memory.
    package func identityKey(_ word: Range<Int>) throws(FileError) -> Ed25519PrivateKey {
        let seed = try secret(word, storage: .plain)
        do {
            return try Ed25519PrivateKey(seed: seed, storage: .guarded)
        } catch {
            throw malformed
        }
    }

    package var malformed: FileError { Self.malformed(path) }

    private static func malformed(_ path: String) -> FileError {
        .malformed(path: path, expected: "the lines of a key file")
    }

    /// In constant time; the verdict comes at the end.
    private static func decode(_ text: RawSpan, into output: inout MutableRawSpan) -> Bool {
        var buffer: UInt32 = 0
        var bitCount: UInt32 = 0
        var written = 0
        var faults: UInt32 = 0
        for offset in 0..<text.byteCount {
            let value = Base64URL.secretValue(of: text.byte(at: offset))
            faults |= value & ~0x3F
            buffer = buffer << 6 | value & 0x3F
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                output.storeBytes(
                    of: UInt8(truncatingIfNeeded: buffer >> bitCount),
                    toByteOffset: written,
                    as: UInt8.self
                )
                written += 1
            }
        }
        return written == output.byteCount && faults | buffer & (1 << bitCount - 1) == 0
    }

    /// Skips empty lines and comments.
    private static func lines(of span: RawSpan) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for end in 0...span.byteCount where end == span.byteCount || span.byte(at: end) == UInt8(ascii: "\n") {
            if end > start, span.byte(at: start) != UInt8(ascii: "#") { lines.append(start..<end) }
            start = end + 1
        }
        return lines
    }

    private static func words(of span: RawSpan, in line: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start = line.lowerBound
        for end in line.lowerBound...line.upperBound
        where end == line.upperBound || span.byte(at: end) == UInt8(ascii: " ") {
            if end > start { words.append(start..<end) }
            start = end + 1
        }
        return words
    }

    private static func equals(_ span: RawSpan, _ range: Range<Int>, _ text: String) -> Bool {
        range.count == text.utf8.count && zip(range, text.utf8).allSatisfy { span.byte(at: $0) == $1 }
    }
}
