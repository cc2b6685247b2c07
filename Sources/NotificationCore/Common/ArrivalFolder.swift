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
/// A name is the arrival (milliseconds, 16 digits) and a random number.
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

    /// - Parameter bytes: 1 to `byteCountMax`.
    /// - Throws: `ContainerError`; nothing was added.
    func add(_ bytes: [UInt8], now: Timestamp, random: inout some RandomSource) throws(ContainerError) {
        precondition(!bytes.isEmpty && bytes.count <= byteCountMax)
        try make()
        try removeRemains(now: now)
        try makeRoom(fileCount: 1, byteCount: bytes.count)
        let number = random.bytes(count: 8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let name = Self.digits(now.milliseconds) + "-" + Self.digits(number) + Self.suffix
        do throws(FileError) {
            try WholeFile.write(bytes, to: path + "/" + name, access: .protected(protection))
        } catch {
            throw ContainerError(error)
        }
        // Another process may have added one.
        try makeRoom(fileCount: 0, byteCount: 0)
    }

    func remove(_ name: String) throws(ContainerError) {
        do throws(FileError) { try PrivateFolder.remove(path + "/" + name) } catch { throw ContainerError(error) }
    }

    /// Includes interrupted writes.
    func removeAll() throws(ContainerError) {
        for entry in try entries() { try remove(entry.name) }
    }

    private func makeRoom(fileCount: Int, byteCount: Int) throws(ContainerError) {
        var items = try entries().filter(isItem)[...]
        var total = items.reduce(0) { $0 + $1.byteCount }
        while items.count + fileCount > fileCountMax || total + byteCount > byteCountMax {
            guard let oldest = items.popFirst() else { return }
            try remove(oldest.name)
            total -= oldest.byteCount
        }
    }

    private func removeRemains(now: Timestamp) throws(ContainerError) {
        for entry in try entries() where !isItem(entry) {
            let arrival = UInt64(entry.name.prefix(16), radix: 16).map { Timestamp(milliseconds: $0) }
            let isBeingWritten = arrival.map { arrival in
                arrival <= now.advanced(by: Self.writingMax) && now <= arrival.advanced(by: Self.writingMax)
            }
            if isBeingWritten != true { try remove(entry.name) }
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

    /// 16 hexadecimal digits, sortable.
    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
