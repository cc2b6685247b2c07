import Envelope
import Keys
import Opening
import Primitives

/// Map from recent messages to the requests that show them (protocol v1, rule 27), for removal by the same sender. Keys
/// are digests of sender key and message id: no sender reaches another's.
///
/// The newest overwrite the oldest. Bytes: "SPR1" ‖ next place u32 ‖ zeros to 16 ‖ places of 160 bytes: key 16 ‖ length
/// u8 ‖ identifier, and zeros. Damage costs only the places hit.
struct RequestMap: Sendable {
    static let placeCount = 512
    static let requestByteCountMax = 128
    private static let placeByteCount = 160
    private static let headByteCount = 16
    private static let magic = Array("SPR1".utf8)

    /// Digest of a message.
    struct Key: Hashable, Sendable {
        static let byteCount = 16
        let bytes: [UInt8]

        init(sender: SenderKey, messageID: MessageID) {
            let digest = SHA256.hash(sender.rawRepresentation, messageID.rawRepresentation)
            bytes = Array(digest.prefix(Self.byteCount))
        }

        /// The window's digest is the same.
        init(_ key: ReplayKey) { bytes = key.bytes }

        init?(bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else { return nil }
            self.bytes = bytes
        }
    }

    private let file: SharedFile

    init(path: String) { file = SharedFile(path: path) }

    var path: String { file.path }

    func prepare() throws(ContainerError) {
        _ = try file.withLock(ifMissing: .create) { _ throws(ContainerError) in }
    }

    /// Records the request that shows these messages; skips identifiers empty or over 128 bytes, which iOS's are not.
    func record(_ requestID: String, for keys: [Key]) throws(ContainerError) {
        guard (1...Self.requestByteCountMax).contains(requestID.utf8.count) else { return }
        _ = try file.withLock(ifMissing: .create) { handle throws(ContainerError) in
            var bytes = try handle.read(Self.byteCount, at: 0)
            for (index, key) in keys.enumerated() {
                if index > 0 { bytes = try handle.read(Self.byteCount, at: 0) }
                let known = Self.places(of: key, in: bytes).first
                let place = known ?? Self.next(in: bytes)
                try handle.write(Self.place(key, requestID), at: Self.offset(of: place))
                if known == nil { try handle.write(Self.head(next: place + 1), at: 0) }
            }
        }
    }

    /// - Returns: nil if not shown lately.
    func requestID(for key: Key) throws(ContainerError) -> String? {
        let bytes = try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) in
            try handle.read(Self.byteCount, at: 0)
        }
        return bytes.flatMap { Self.requestID(for: key, in: $0) }
    }

    static var byteCount: Int { offset(of: placeCount) }

    /// Accepts any bytes as a map.
    static func requestID(for key: Key, in bytes: [UInt8]) -> String? {
        places(of: key, in: bytes).lazy.compactMap { place -> String? in
            let start = offset(of: place) + Key.byteCount
            let length = Int(bytes[start])
            guard (1...requestByteCountMax).contains(length) else { return nil }
            return String(validating: bytes[start + 1...start + length], as: UTF8.self)
        }.first
    }

    /// Complete places only.
    private static func places(of key: Key, in bytes: [UInt8]) -> [Int] {
        (0..<placeCount).filter { place in
            let start = offset(of: place)
            return offset(of: place + 1) <= bytes.count
                && bytes[start..<start + Key.byteCount].elementsEqual(key.bytes)
        }
    }

    /// First place if the head is damaged.
    private static func next(in bytes: [UInt8]) -> Int {
        var reader = ByteReader(bytes[...])
        guard reader.take(magic.count) == magic, let next = reader.take(UInt32.self) else { return 0 }
        return Int(next % UInt32(placeCount))
    }

    private static func head(next: Int) -> [UInt8] {
        var bytes = magic
        bytes.append(bigEndian: UInt32(next % placeCount))
        return bytes + [UInt8](repeating: 0, count: headByteCount - bytes.count)
    }

    private static func place(_ key: Key, _ requestID: String) -> [UInt8] {
        let bytes = key.bytes + [UInt8(requestID.utf8.count)] + Array(requestID.utf8)
        return bytes + [UInt8](repeating: 0, count: placeByteCount - bytes.count)
    }

    private static func offset(of place: Int) -> Int { headByteCount + place * placeByteCount }
}
