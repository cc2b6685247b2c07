import Envelope
private import Platform
package import Primitives

/// Reads files of private keys: owner-only, bounded, straight into memory that is zeroed.
package enum PrivateFile {
    /// Keys are a few hundred bytes; PEM certificates with them a few thousand.
    package static let byteCountMax = 64 * 1024

    /// The first line of every key that is published with this project, but for the provider's.
    package static let exampleMarker = "# SealedPush example key"

    /// SHA-256, as base64url, of the published provider key, keys-example/provider.p8. It has Apple's form, the PEM block and nothing
    /// else, because swift-crypto refuses text beside the block. So it has no line for a marker.
    package static let exampleProviderKeyDigest = "m6wUFsvaRo2ZVlNfczj01_LDal4PpqtMGXe5PKGy3dQ"

    package enum ExampleKeys: Sendable { case refused, allowed }

    /// - Returns: the file, byte for byte.
    /// - Throws: `FileError`. A file that group or others may read is refused, unless it is an example key and those are
    ///   allowed: a checkout cannot keep mode 0600, and an example key is no secret.
    package static func read(_ path: String, exampleKeys: ExampleKeys) throws(FileError) -> SecretBytes {
        if let code = DeviceRules.refusal(of: .read, at: path) { throw .system(call: "open", path: path, code: code) }
        // Without O_NONBLOCK a FIFO would hold the caller until somebody wrote to it.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.opening(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .system(call: "fstat", path: path, code: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        guard status.st_size <= byteCountMax else { throw .tooLarge(path: path, byteCountMax: byteCountMax) }
        guard status.st_size > 0 else { throw .empty(path: path) }
        let bytes = try SecretBytes(byteCount: Int(status.st_size)) { span throws(FileError) in
            try fill(&span, from: descriptor, path: path)
        }
        let isExample = bytes.withBytes { isMarked($0) || isProviderKey($0) }
        if isExample {
            guard exampleKeys == .allowed else { throw .exampleKey(path: path) }
        } else {
            // Whatever its mode: to take rights away from a public key would help nobody.
            guard !bytes.withBytes({ $0.isPublicKey }) else { throw .publicKey(path: path) }
            let mode = status.st_mode & 0o777
            guard mode & 0o077 == 0 else { throw .permissionsTooLoose(path: path, mode: UInt32(mode)) }
        }
        return bytes
    }

    private static func isMarked(_ bytes: RawSpan) -> Bool { bytes.starts(with: exampleMarker) }

    private static func isProviderKey(_ bytes: RawSpan) -> Bool {
        bytes.starts(with: "-----BEGIN") && Base64URL.string(SHA256.hash(bytes)) == exampleProviderKeyDigest
    }

    private static func fill(
        _ span: inout MutableRawSpan,
        from descriptor: Int32,
        path: String
    ) throws(FileError) {
        var filled = 0
        while filled < span.byteCount {
            let count = unsafe span.withUnsafeMutableBytes { bytes in
                unsafe Platform.read(descriptor, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "read", path: path, code: count < 0 ? errno : EIO) }
            filled += count
        }
    }
}

// What was taken for another kind of file.
extension PrivateFile {
    /// Whether a text is a file of private keys, by the first of its lines that is no comment.
    package static func isKeyFile(_ text: some StringProtocol) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let format = lines.first(where: { !$0.hasPrefix("#") }) else { return false }
        return format.hasPrefix("sealedpush-") && format.hasSuffix("-key-1")
    }
}

extension FileError {
    static func opening(_ path: String) -> FileError {
        errno == ENOENT ? .notFound(path: path) : .system(call: "open", path: path, code: errno)
    }
}

extension RawSpan {
    fileprivate var isPublicKey: Bool { starts(with: SenderOwner.textPrefix) || starts(with: DeviceOwner.textPrefix) }

    fileprivate func starts(with text: String) -> Bool {
        guard byteCount >= text.utf8.count else { return false }
        for (offset, expected) in text.utf8.enumerated()
        where byte(at: offset) != expected { return false }
        return true
    }
}
