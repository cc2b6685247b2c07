import Envelope
package import Keys
import Platform
package import Primitives
import ServiceParts

/// Key that encrypts device tokens: 32 random bytes, or their 43 characters of base64url, perhaps with a line feed.
package enum TokenKeyFile {
    package static let byteCount = 32
    private static let characterCount = 43

    /// - Parameter path: regular file, readable by its owner only.
    /// - Returns: 32 bytes in guarded memory.
    package static func read(_ path: String) throws(TokenKeyFileError) -> SecretBytes {
        let file: SecretBytes
        do throws(FileError) {
            file = try PrivateFile.read(path, exampleKeys: .refused)
        } catch {
            throw .file(error)
        }
        guard isOurs(path) else { throw .strangersFile }
        let key = try file.withBytes { bytes throws(TokenKeyFileError) in try parse(bytes) }
        guard isRandom(key) else { throw .notRandom }
        return key
    }

    /// Creates a key of mode 0600, durable, never over an existing file.
    package static func make(_ path: String, random: inout some RandomSource) throws(FileError) {
        let key = random.secret(byteCount: byteCount)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        let count = key.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        }
        let isWritten = count == byteCount && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unsafe unlink(path)
            throw .system(call: "write", path: path, code: count >= 0 && count < byteCount ? ENOSPC : code)
        }
        try WholeFile.syncDirectory(of: path)
    }

    /// HMAC-SHA256 of a unique label: reveals nothing about other keys.
    package static func derive(_ key: borrowing SecretBytes, _ label: StaticString) -> SecretBytes {
        key.withBytes { key in
            SecretBytes(byteCount: byteCount, storage: .guarded) { output in
                HMACSHA256.code(key: key, into: &output) { $0.update(label) }
            }
        }
    }

    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_uid == 0 || status.st_uid == geteuid() || geteuid() == 0
    }

    private static func isRandom(_ key: borrowing SecretBytes) -> Bool {
        key.withBytes { bytes in
            let first: UInt8 = bytes.byte(at: 0)
            return (1..<bytes.byteCount).contains { bytes.byte(at: $0) != first }
        }
    }

    private static func parse(_ bytes: RawSpan) throws(TokenKeyFileError) -> SecretBytes {
        if bytes.byteCount == byteCount { return SecretBytes(copying: bytes, storage: .guarded) }
        let hasLineFeed = bytes.byteCount == characterCount + 1 && bytes.byte(at: characterCount) == UInt8(ascii: "\n")
        guard bytes.byteCount == characterCount || hasLineFeed else { throw .form(byteCount: bytes.byteCount) }
        return try SecretBytes(byteCount: byteCount, storage: .guarded) { output throws(TokenKeyFileError) in
            var buffer: UInt32 = 0
            var bitCount: UInt32 = 0
            var written = 0
            for offset in 0..<characterCount {
                guard let value = Base64URL.value(of: bytes.byte(at: offset)) else {
                    throw .form(byteCount: bytes.byteCount)
                }
                buffer = buffer << 6 | UInt32(value)
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                output.storeBytes(
                    of: UInt8(truncatingIfNeeded: buffer >> bitCount),
                    toByteOffset: written,
                    as: UInt8.self
                )
                written += 1
            }
            // The last two of 258 bits are zero in the one valid spelling.
            guard buffer & 3 == 0 else { throw .form(byteCount: bytes.byteCount) }
        }
    }
}

/// Contains nothing of the file.
package enum TokenKeyFileError: Error, Equatable, Sendable {
    case file(FileError)
    /// File neither of root nor of this user.
    case strangersFile
    case form(byteCount: Int)
    case notRandom
}

extension TokenKeyFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let error): error.advice
        case .strangersFile: "the file belongs to another user; give it to the service's user: chown"
        case .form(let byteCount):
            "\(byteCount) bytes are not a key; a key has 32 random bytes, or 43 characters of base64url: make one with "
                + "'sealedpushd make-key FILE'"
        case .notRandom: "the key is not random; make one with 'sealedpushd make-key FILE'"
        }
    }
}
