import Envelope

/// Badge number shared by app and extension: iOS takes absolute numbers, which a push cannot know.
///
/// Only the app makes the file; without it, or with a damaged one, no notification sets a badge. A message counts at
/// its first claim only; a kill between the two leaves the number one too low until the app sets it.
///
/// Bytes: "SPB1" ‖ count u32 ‖ its complement u32.
struct BadgeCount: Sendable {
    static let countMax = Message.badgeRange.upperBound
    private static let magic = Array("SPB1".utf8)
    private static let byteCount = 12

    private let file: SharedFile

    init(path: String) { file = SharedFile(path: path) }

    var path: String { file.path }

    /// - Returns: nil if missing or damaged.
    func count() throws(ContainerError) -> Int? {
        try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) in try Self.count(in: handle) } ?? nil
    }

    /// - Parameter count: capped at 9,999.
    func set(_ count: Int, ifMissing: SharedFile.IfMissing) throws(ContainerError) {
        _ = try file.withLock(ifMissing: ifMissing) { handle throws(ContainerError) in
            try handle.write(Self.bytes(of: count), at: 0)
        }
    }

    /// - Returns: raised number; nil if missing or damaged.
    func increment() throws(ContainerError) -> Int? {
        try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) -> Int? in
            guard let count = try Self.count(in: handle) else { return nil }
            let raised = min(count + 1, Self.countMax)
            try handle.write(Self.bytes(of: raised), at: 0)
            return raised
        } ?? nil
    }

    private static func count(in handle: borrowing SharedFile.Handle) throws(ContainerError) -> Int? {
        count(bytes: try handle.read(byteCount + 1, at: 0))
    }

    /// - Returns: nil unless valid.
    static func count(bytes: [UInt8]) -> Int? {
        var reader = ByteReader(bytes[...])
        guard reader.take(magic.count) == magic, let count = reader.take(UInt32.self),
            reader.take(UInt32.self) == ~count, reader.remainingByteCount == 0, count <= countMax
        else { return nil }
        return Int(count)
    }

    static func bytes(of count: Int) -> [UInt8] {
        let count = UInt32(min(max(count, 0), countMax))
        var bytes = magic
        bytes.append(bigEndian: count)
        bytes.append(bigEndian: ~count)
        return bytes
    }
}
