import Envelope
private import Platform
package import Primitives

/// Reads private key files: private by mode, bounded, into zeroed memory.
package enum PrivateFile {
    /// Keys take some hundred bytes, with PEM certificates some thousand.
    package static let byteCountMax = 64 * 1024

    /// First line of every published key but the provider's.
    package static let exampleMarker = "# SealedPush example key"

    /// SHA-256, base64url, of keys-example/provider.p8, which has no marker: swift-crypto refuses text beside the PEM
    /// block.
    package static let exampleProviderKeyDigest = "m6wUFsvaRo2ZVlNfczj01_LDal4PpqtMGXe5PKGy3dQ"

    package enum ExampleKeys: Sendable { case refused, allowed }

    /// - Throws: `FileError`, also if others may read it, except an allowed example key: it is no secret, and a
    ///   checkout cannot keep mode 0600.
    package static func read(_ path: String, exampleKeys: ExampleKeys) throws(FileError) -> SecretBytes {
        if let code = DeviceRules.refusal(of: .read, at: path) { throw .system(call: "open", path: path, code: code) }
        // O_NONBLOCK: a FIFO must not hold the caller.
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
            // Before the mode: restricting a public key helps nothing.
            guard !bytes.withBytes({ $0.isPublicKey }) else { throw .publicKey(path: path) }
            let mode = UInt32(status.st_mode & 0o777)
            guard isPrivate(mode, owner: status.st_uid, user: geteuid()) else {
                throw .permissionsTooLoose(path: path, mode: mode)
            }
        }
        return bytes
    }

    /// True for a file that its owner alone may read. The group may too if the file is root's and the process is not:
    /// so clusters mount secrets.
    ///
    /// - Source: PostgreSQL, "SSL Server File Usage", the rule for `ssl_key_file`.
    package static func isPrivate(_ mode: UInt32, owner: UInt32, user: UInt32) -> Bool {
        let denied: UInt32 = owner == 0 && user != 0 ? 0o037 : 0o077
        return mode & denied == 0
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

// Detection of misplaced private keys.
extension PrivateFile {
    /// True for a private key file, by its first line that is no comment.
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
