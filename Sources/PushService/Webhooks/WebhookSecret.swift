import Keys
import Platform
package import Primitives

/// Standard Webhooks secret in its own file: `whsec_` and the base64 of 24 to 64 random bytes. Trailing white space is
/// ignored.
package enum WebhookSecret {
    private static let prefix = Array("whsec_".utf8)
    private static let byteCounts = 24...64
    private static let fileByteCountMax = 256

    /// Blocks on the disk.
    ///
    /// - Parameter path: absolute.
    package static func read(_ path: String) throws(WebhookSecretError) -> SecretBytes {
        let text = try readText(path)
        guard let secret = text.withBytes({ decode($0) }) else { throw .malformed }
        return secret
    }

    /// nil if malformed.
    package static func decode(_ text: RawSpan) -> SecretBytes? {
        var end = text.byteCount
        while end > 0, [0x0A, 0x0D, 0x20, 0x09].contains(byte(text, end - 1)) { end -= 1 }
        guard end <= fileByteCountMax, end > prefix.count else { return nil }
        for index in prefix.indices where byte(text, index) != prefix[index] { return nil }
        var paddingCount = 0
        while end > prefix.count, byte(text, end - 1) == UInt8(ascii: "=") {
            end -= 1
            paddingCount += 1
        }
        let digitCount = end - prefix.count
        let byteCount = digitCount * 6 / 8
        // Padding is optional.
        guard byteCounts.contains(byteCount), digitCount % 4 != 1,
            paddingCount == 0 || paddingCount < 3 && (digitCount + paddingCount) % 4 == 0
        else { return nil }
        var isWhole = true
        let secret = SecretBytes(byteCount: byteCount) { output in
            var bits: UInt32 = 0
            var bitCount = 0
            var count = 0
            for index in prefix.count..<end {
                guard let value = value(byte(text, index)) else {
                    isWhole = false
                    return
                }
                bits = bits << 6 | UInt32(value)
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                output.storeBytes(of: UInt8(truncatingIfNeeded: bits >> bitCount), toByteOffset: count, as: UInt8.self)
                count += 1
            }
            // Left-over bits are zero, so that one secret has one text.
            isWhole = bits & (1 << bitCount - 1) == 0
        }
        guard isWhole else { return nil }
        return consume secret
    }

    private static func byte(_ text: RawSpan, _ index: Int) -> UInt8 {
        unsafe text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    /// RFC 4648, section 4.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func readText(_ path: String) throws(WebhookSecretError) -> SecretBytes {
        // Does not block on a pipe.
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard PrivateFile.isPrivate(status.st_mode, owner: status.st_uid, user: geteuid()),
            status.st_uid == geteuid() || status.st_uid == 0
        else { throw .open }
        guard (1...fileByteCountMax).contains(Int(status.st_size)) else { throw .malformed }
        return try SecretBytes(byteCount: Int(status.st_size)) {
            (span: inout MutableRawSpan) throws(WebhookSecretError) in
            let isWhole = unsafe span.withUnsafeMutableBytes { bytes in
                var count = 0
                while count < bytes.count {
                    let step = unsafe Platform.read(
                        descriptor,
                        bytes.baseAddress.map { unsafe $0 + count },
                        bytes.count - count
                    )
                    if step < 0, errno == EINTR { continue }
                    guard step > 0 else { return false }
                    count += step
                }
                return true
            }
            guard isWhole else { throw .unreadable }
        }
    }
}

/// One word for a log line.
package enum WebhookSecretError: String, Error, Sendable {
    case unreadable
    /// A folder, a device or a pipe.
    case notAFile = "not-a-file"
    /// Accessible beyond its owner, or owned by neither this user nor root.
    case open
    case malformed
}
