import Envelope
import Keys
import Platform
import Primitives

/// Small items of app and extension in order of arrival, in one file of fixed size; the newest displace the oldest.
///
/// An item is added in place and the disk is forced once: a new file for each takes several times the processor's time,
/// before the extension's answer. Any bytes are a file. An item that a kill or a power loss cut short is none.
///
/// Bytes: heads of 32 ‖ places. A head: arrival u64 ‖ hash of what makes the item unique 8 ‖ hash of these two and the
/// item 8 ‖ the item's byte count u64, 0 for none. A hash is the beginning of SHA-256.
struct ArrivalFile: Hashable, Sendable {
    let path: String
    private let protection: FileProtection
    private let countMax: Int
    private let itemByteCountMax: Int

    init(path: String, protection: FileProtection, countMax: Int, itemByteCountMax: Int) {
        self.path = path
        self.protection = protection
        self.countMax = countMax
        self.itemByteCountMax = itemByteCountMax
    }

    private var file: SharedFile { SharedFile(path: path) }

    /// Makes the file and sets its class, in the app at each launch. An extension can make none before the first
    /// unlock, nor on a locked device if the app's default is `Complete`.
    func prepare() throws(ContainerError) {
        if unsafe access(path, F_OK) != 0 { try make() }
        guard let code = protection.set(at: path) else { return }
        throw ContainerError(.system(call: "fcntl", path: path, code: code))
    }

    /// Oldest first.
    func items() throws(ContainerError) -> [Item] {
        let found = try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) in try items(in: handle) }
        return (found ?? []).sorted(by: Item.isOlder)
    }

    /// Removes the item if it is damaged or `parse` returns nil.
    ///
    /// - Returns: nil then, and if another process removed the item.
    func read<Value>(_ item: Item, _ parse: ([UInt8]) -> Value?) throws(ContainerError) -> Value? {
        let bytes = try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) in
            try content(of: item, in: handle)
        }
        if let value = bytes.flatMap(\.self).flatMap(parse) { return value }
        try remove([item])
        return nil
    }

    /// Adds an item, unless it is there.
    ///
    /// - Parameters:
    ///   - bytes: 1 to `itemByteCountMax`.
    ///   - key: what makes the item unique.
    ///   - renews: replaces the one that is there; a power loss at that moment may lose both.
    ///   - isSame: true for the bytes of an item with this key; a damaged item counts as another.
    /// - Throws: `ContainerError`; the item is not on the disk for certain, and the oldest may be gone.
    func add(
        _ bytes: [UInt8],
        key: [UInt8],
        now: Timestamp,
        renews: Bool = false,
        unless isSame: ([UInt8]) -> Bool
    ) throws(ContainerError) {
        precondition(!bytes.isEmpty && bytes.count <= itemByteCountMax)
        let keyHash = Self.hash(key)
        func put(_ handle: borrowing SharedFile.Handle) throws(ContainerError) {
            let items = try items(in: handle)
            var same: Item?
            for item in items where item.keyHash == keyHash {
                guard let found = try content(of: item, in: handle), isSame(found) else { continue }
                // Written again: whoever added it may not have reached the disk.
                guard renews else { return try write(item, found, to: handle) }
                same = item
            }
            let free = zip(0..., items).first { $0 != $1.place }?.0 ?? items.count
            let place = free < countMax ? free : (same ?? items.min(by: Item.isOlder))?.place ?? 0
            try write(Item(place: place, arrival: now.milliseconds, keyHash: keyHash, bytes), bytes, to: handle)
            if let same, same.place != place { try clear(same, in: handle) }
        }
        if try file.withLock(ifMissing: .refuse, isDurable: true, put) != nil { return }
        try make()
        guard try file.withLock(ifMissing: .refuse, isDurable: true, put) != nil else {
            throw ContainerError(.notFound(path: path))
        }
    }

    /// Removes items, and all bytes of their places. A missing one is no error.
    func remove(_ items: [Item]) throws(ContainerError) {
        guard !items.isEmpty else { return }
        _ = try file.withLock(ifMissing: .refuse, isDurable: true) { handle throws(ContainerError) in
            let found = try self.items(in: handle)
            for item in items where found.contains(item) { try clear(item, in: handle) }
        }
    }

    private func make() throws(ContainerError) {
        let zeros = [UInt8](repeating: 0, count: offset(of: countMax))
        do throws(FileError) {
            try WholeFile.create(unsafe zeros.span.bytes, at: path, access: .protected(protection))
        } catch {
            // Another process made it.
            if case .exists = error { return }
            throw ContainerError(error)
        }
    }

    // MARK: Bytes

    /// In the order of their places.
    private func items(in handle: borrowing SharedFile.Handle) throws(ContainerError) -> [Item] {
        var reader = ByteReader(try handle.read(countMax * Item.headByteCount, at: 0)[...])
        return (0..<countMax).compactMap { Item(place: $0, &reader, byteCountMax: itemByteCountMax) }
    }

    /// - Returns: nil for a damaged item.
    private func content(
        of item: Item,
        in handle: borrowing SharedFile.Handle
    ) throws(ContainerError) -> [UInt8]? {
        let bytes = try handle.read(item.byteCount, at: offset(of: item.place))
        return item.isIntact(bytes) ? bytes : nil
    }

    private func write(
        _ item: Item,
        _ bytes: [UInt8],
        to handle: borrowing SharedFile.Handle
    ) throws(ContainerError) {
        try handle.write(bytes, at: offset(of: item.place))
        try handle.write(item.head, at: item.place * Item.headByteCount)
    }

    /// Clears the whole place: a shorter item may have displaced a longer one.
    private func clear(_ item: Item, in handle: borrowing SharedFile.Handle) throws(ContainerError) {
        try handle.write([UInt8](repeating: 0, count: Item.headByteCount), at: item.place * Item.headByteCount)
        try handle.write([UInt8](repeating: 0, count: itemByteCountMax), at: offset(of: item.place))
    }

    private func offset(of place: Int) -> Int { countMax * Item.headByteCount + place * itemByteCountMax }

    fileprivate static func hash(_ bytes: [UInt8], _ more: [UInt8] = []) -> UInt64 {
        SHA256.hash(bytes, more).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ArrivalFile {
    /// Item's place and head.
    struct Item: Equatable, Sendable {
        fileprivate static let headByteCount = 32

        fileprivate let place: Int
        fileprivate let arrival: UInt64
        fileprivate let keyHash: UInt64
        private let hash: UInt64
        fileprivate let byteCount: Int

        fileprivate init(place: Int, arrival: UInt64, keyHash: UInt64, _ bytes: [UInt8]) {
            self.place = place
            self.arrival = arrival
            self.keyHash = keyHash
            hash = ArrivalFile.hash(Self.name(arrival, keyHash), bytes)
            byteCount = bytes.count
        }

        /// - Returns: nil for a place without an item.
        fileprivate init?(place: Int, _ reader: inout ByteReader, byteCountMax: Int) {
            guard let arrival = reader.take(UInt64.self), let keyHash = reader.take(UInt64.self),
                let hash = reader.take(UInt64.self), let byteCount = reader.take(UInt64.self),
                (1...UInt64(byteCountMax)).contains(byteCount)
            else { return nil }
            self.place = place
            self.arrival = arrival
            self.keyHash = keyHash
            self.hash = hash
            self.byteCount = Int(byteCount)
        }

        fileprivate static func isOlder(_ first: Item, _ second: Item) -> Bool {
            (first.arrival, first.place) < (second.arrival, second.place)
        }

        /// True if these are the item's bytes, undamaged.
        fileprivate func isIntact(_ bytes: [UInt8]) -> Bool {
            hash == ArrivalFile.hash(Self.name(arrival, keyHash), bytes)
        }

        fileprivate var head: [UInt8] {
            var head = Self.name(arrival, keyHash)
            head.append(bigEndian: hash)
            head.append(bigEndian: UInt64(byteCount))
            return head
        }

        private static func name(_ arrival: UInt64, _ keyHash: UInt64) -> [UInt8] {
            var name: [UInt8] = []
            name.append(bigEndian: arrival)
            name.append(bigEndian: keyHash)
            return name
        }
    }
}
