private import Envelope
internal import Primitives

/// Builds a key file in zeroed memory.
package struct KeyFileWriter: ~Copyable {
    private var text: SecretBytes
    private var byteCount = 0

    /// - Parameter isExample: marks a published key.
    package init(format: String, isExample: Bool) {
        text = SecretBytes(byteCount: PrivateFile.byteCountMax) { _ in }
        if isExample { append("\(PrivateFile.exampleMarker): published, protects nothing.\n") }
        append("\(format)\n")
    }

    /// Appends a line without secret.
    package mutating func line(_ words: String...) { append(words.joined(separator: " ") + "\n") }

    /// Appends a line ending with a base64url secret.
    package mutating func line(_ words: String..., secret: RawSpan) {
        append(words.joined(separator: " ") + " ")
        appendBase64URL(secret)
        append("\n")
    }

    package consuming func write(to path: String, access: WholeFile.Access = .ownerOnly) throws(FileError) {
        try text.withBytes { span throws(FileError) in
            try WholeFile.write(span.extracting(first: byteCount), to: path, access: access)
        }
    }

    /// Creates the file with mode 0600, if missing.
    package consuming func create(at path: String) throws(FileError) {
        try text.withBytes { span throws(FileError) in
            try WholeFile.create(span.extracting(first: byteCount), at: path, access: .ownerOnly)
        }
    }

    private mutating func append(_ words: String) {
        for byte in words.utf8 { append(byte) }
    }

    private mutating func appendBase64URL(_ secret: RawSpan) {
        var buffer: UInt32 = 0
        var bitCount: UInt32 = 0
        for offset in 0..<secret.byteCount {
            buffer = buffer << 8 | UInt32(secret.byte(at: offset))
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                append(Base64URL.character(for: UInt8(truncatingIfNeeded: buffer >> bitCount & 0x3F)))
            }
        }
        if bitCount > 0 {
            append(Base64URL.character(for: UInt8(truncatingIfNeeded: buffer << (6 - bitCount) & 0x3F)))
        }
    }

    private mutating func append(_ byte: UInt8) {
        text.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: byteCount, as: UInt8.self) }
        byteCount += 1
    }
}
