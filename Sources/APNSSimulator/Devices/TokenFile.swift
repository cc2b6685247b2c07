package import APNS
import Envelope
import Platform
import Primitives

/// File that keeps device tokens across runs. On the loop.
///
/// The first line holds the mint's key, each further one a registration's new state, forced to disk before a client
/// gets the token. Readers can make tokens: the mode is 0600.
package final class TokenFile {
    private static let format = "sealedpush-device-tokens-1"
    /// Our limit; holds more than a million tokens.
    static let byteCountMax = 256 << 20

    let mint: DeviceTokenMint
    private(set) var records: [TokenRecord] = []
    private var descriptor: Int32
    /// First failure; nothing is written after it.
    private var failure: TokenFileError?

    /// Opens or creates a file. Drops an incomplete last line, whose token no client has.
    package init(path: String, environment: APNSEnvironment, tokenByteCount: Int) throws(TokenFileError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
        do throws(TokenFileError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? .inUse : .system(call: "flock", code: errno)
            }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw .system(call: "fstat", code: errno)
            }
            guard status.st_mode & 0o077 == 0 else { throw .permissionsTooLoose }
            let bytes = try Self.read(descriptor)
            let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            if end < bytes.count, ftruncate(descriptor, off_t(end)) != 0 {
                throw .system(call: "ftruncate", code: errno)
            }
            if end == 0 {
                let key = SystemRandom.key()
                mint = DeviceTokenMint(
                    key: SecretBytes(copying: unsafe key.span.bytes),
                    tokenByteCount: tokenByteCount
                )
                let head =
                    "\(Self.format) \(environment.rawValue) \(tokenByteCount) \(Base64URL.string(key))\n"
                try Self.write(Array(head.utf8), descriptor)
                try Self.syncFolder(of: path)
            } else {
                let lines = bytes[..<(end - 1)].split(
                    separator: UInt8(ascii: "\n"),
                    omittingEmptySubsequences: false
                )
                mint = try Self.mint(lines[0], environment, tokenByteCount)
                records = try Self.records(lines.dropFirst())
            }
        } catch {
            Platform.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { Platform.close(descriptor) } }

    /// Forces the records to disk together. After a failure, which `close` returns, does nothing.
    func append(_ records: [TokenRecord]) {
        guard !records.isEmpty, failure == nil, descriptor >= 0 else { return }
        do throws(TokenFileError) {
            try Self.write(records.flatMap(\.line), descriptor)
        } catch {
            failure = error
        }
    }

    /// - Returns: first failure: later tokens are not kept.
    func close() -> TokenFileError? {
        if descriptor >= 0 { Platform.close(descriptor) }
        descriptor = -1
        return failure
    }

    private static func mint(
        _ line: ArraySlice<UInt8>,
        _ environment: APNSEnvironment,
        _ tokenByteCount: Int
    ) throws(TokenFileError) -> DeviceTokenMint {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.first == format, words.count == 4 else {
            throw .malformed(line: 1, field: "format")
        }
        guard let own = APNSEnvironment(rawValue: words[1]) else {
            throw .malformed(line: 1, field: "environment")
        }
        guard own == environment else { throw .otherEnvironment }
        guard let byteCount = Int(words[2]), "\(byteCount)" == words[2],
            DeviceTokenMint.tokenByteCounts.contains(byteCount)
        else { throw .malformed(line: 1, field: "length of tokens") }
        guard byteCount == tokenByteCount else { throw .otherTokenByteCount(byteCount) }
        guard let key = Base64URL.decode(text: words[3]), key.count == DeviceTokenMint.keyByteCount
        else {
            throw .malformed(line: 1, field: "key")
        }
        return DeviceTokenMint(
            key: SecretBytes(copying: unsafe key.span.bytes),
            tokenByteCount: byteCount
        )
    }

    /// Reads the records; the last line of a number wins.
    private static func records(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(TokenFileError)
        -> [TokenRecord]
    {
        var records: [TokenRecord] = []
        for (index, line) in lines.enumerated() {
            let place = index + 2
            let record: TokenRecord
            do throws(TokenRecord.Field) { record = try TokenRecord(line: line) } catch {
                throw .malformed(line: place, field: error.rawValue)
            }
            if record.number == records.count {
                records.append(record)
                continue
            }
            guard record.number < records.count else { throw .malformed(line: place, field: "number") }
            var known = records[Int(record.number)]
            known.status = record.status
            // Only a registration's status may change.
            guard known == record else { throw .malformed(line: place, field: "registration") }
            records[Int(record.number)] = record
        }
        return records
    }

    private static func read(_ descriptor: Int32) throws(TokenFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Platform.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", code: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
        }
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32) throws(TokenFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Platform.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "write", code: errno) }
            rest = rest.dropFirst(count)
        }
        if let code = FileSync.durable.force(descriptor) { throw .system(call: "fsync", code: code) }
    }

    /// Makes a new file's name durable.
    private static func syncFolder(of path: String) throws(TokenFileError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
        defer { Platform.close(descriptor) }
        if let code = FileSync.durable.force(descriptor), code != EINVAL {
            throw .system(call: "fsync", code: code)
        }
    }
}

/// Names the line and field, never their content.
package enum TokenFileError: Error, Equatable, Sendable {
    case system(call: String, code: Int32)
    /// Another simulator has it open.
    case inUse
    /// Key file that others may read.
    case permissionsTooLoose
    /// Foreign or damaged content; lines count from 1.
    case malformed(line: Int, field: String)
    case otherEnvironment
    /// The file's tokens have this length, not the requested one.
    case otherTokenByteCount(Int)
    case tooLarge(byteCountMax: Int)
}

extension SystemRandom {
    fileprivate static func key() -> [UInt8] {
        var random = SystemRandom()
        return random.bytes(count: DeviceTokenMint.keyByteCount)
    }
}
