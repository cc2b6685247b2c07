import Envelope
import Keys
import Platform
import Primitives

/// Folder of small files in order of arrival, bounded in number and bytes; the oldest make room. Writes are atomic,
/// mode 0600.
///
/// App and extension share it without a lock: iOS ends a suspended process that holds one in a shared container. So
/// concurrent writers may exceed the bounds by a file each until the next write.
///
/// A name is the arrival (milliseconds, 16 digits) and 8 bytes of the hash of what makes the item unique, so that to
/// find it again reads no other.
struct ArrivalFolder: Hashable, Sendable {
    private static let suffix = ".item"
    private static let nameCharacterCount = 16 + 1 + 16 + suffix.utf8.count
    /// A write takes milliseconds; an older one was interrupted.
    private static let writingMax: Duration = .seconds(60)

    private let path: String
    private let protection: FileProtection
    private let fileCountMax: Int
    private let byteCountMax: Int

    init(path: String, protection: FileProtection, fileCountMax: Int, byteCountMax: Int) {
        self.path = path
        self.protection = protection
        self.fileCountMax = fileCountMax
        self.byteCountMax = byteCountMax
    }

    /// Makes the folder and sets its class, in the app at each launch. An extension can make none before the first
    /// unlock, nor on a locked device if the app's default is `Complete`.
    func prepare() throws(ContainerError) {
        try make()
        guard let code = protection.set(at: path) else { return }
        throw ContainerError(.system(call: "fcntl", path: path, code: code))
    }

    private func make() throws(ContainerError) {
        do throws(FileError) {
            try PrivateFolder.make(path, protection: protection)
        } catch {
            throw ContainerError(error)
        }
    }

    /// Oldest first.
    func names() throws(ContainerError) -> [String] { try entries().filter(isItem).map(\.name) }

    /// - Returns: nil if another process removed the file.
    func read(_ name: String) throws(ContainerError) -> [UInt8]? {
        do {
            return try WholeFile.read(path + "/" + name, byteCountMax: byteCountMax)
        } catch {
            if case .notFound = error { return nil }
            throw ContainerError(error)
        }
    }

    /// Adds an item, unless it is there.
    ///
    /// - Parameters:
    ///   - bytes: 1 to `byteCountMax`.
    ///   - key: what makes the item unique.
    ///   - isSame: true for the bytes of an item with this key; an unreadable item counts as another.
    /// - Throws: `ContainerError`; nothing was added.
    func add(
        _ bytes: [UInt8],
        key: [UInt8],
        now: Timestamp,
        unless isSame: ([UInt8]) -> Bool
    ) throws(ContainerError) {
        precondition(!bytes.isEmpty && bytes.count <= byteCountMax)
        let ending = Self.ending(of: key)
        let entries = try entries()
        for entry in entries where isItem(entry) && entry.name.hasSuffix(ending) {
            if let bytes = try? read(entry.name), isSame(bytes) { return }
        }
        if entries.isEmpty { try make() }
        try removeRemains(entries, now: now)
        try makeRoom(for: bytes.count, entries)
        do throws(FileError) {
            let name = Self.digits(now.milliseconds) + ending
            try WholeFile.write(bytes, to: path + "/" + name, access: .protected(protection))
        } catch {
            throw ContainerError(error)
        }
    }

    func remove(_ name: String) throws(ContainerError) { try remove(name, isDurable: true) }

    private func remove(_ name: String, isDurable: Bool) throws(ContainerError) {
        do throws(FileError) {
            try PrivateFolder.remove(path + "/" + name, isDurable: isDurable)
        } catch {
            throw ContainerError(error)
        }
    }

    /// Includes interrupted writes.
    func removeAll() throws(ContainerError) {
        for entry in try entries() { try remove(entry.name) }
    }

    private func makeRoom(for byteCount: Int, _ entries: [PrivateFolder.Entry]) throws(ContainerError) {
        var items = entries.filter(isItem)[...]
        var total = items.reduce(byteCount) { $0 + $1.byteCount }
        while items.count >= fileCountMax || total > byteCountMax {
            guard let oldest = items.popFirst() else { return }
            // The write that follows makes it durable.
            try remove(oldest.name, isDurable: false)
            total -= oldest.byteCount
        }
    }

    private func removeRemains(_ entries: [PrivateFolder.Entry], now: Timestamp) throws(ContainerError) {
        for entry in entries where !isItem(entry) {
            let arrival = UInt64(entry.name.prefix(16), radix: 16).map { Timestamp(milliseconds: $0) }
            let isBeingWritten = arrival.map { arrival in
                arrival <= now.advanced(by: Self.writingMax) && now <= arrival.advanced(by: Self.writingMax)
            }
            if isBeingWritten != true { try remove(entry.name, isDurable: false) }
        }
    }

    private func entries() throws(ContainerError) -> [PrivateFolder.Entry] {
        do throws(FileError) {
            return try PrivateFolder.entries(path, countMax: 16 * fileCountMax)
        } catch {
            throw ContainerError(error)
        }
    }

    private func isItem(_ entry: PrivateFolder.Entry) -> Bool {
        entry.name.utf8.count == Self.nameCharacterCount && entry.name.hasSuffix(Self.suffix)
    }

    private static func ending(of key: [UInt8]) -> String {
        "-" + digits(SHA256.hash(key).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) + suffix
    }

    /// 16 hexadecimal digits, sortable.
    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
