internal import Envelope

/// Request with an idempotency key.
///
/// One that is stored shard by shard names the places of its stored entries, until all are.
struct RequestRow: Equatable {
    static let insert =
        "INSERT INTO request (tenant, key, digest, created, entries, rejected, places) VALUES (?, ?, ?, ?, ?, ?, ?)"
    static let update = "UPDATE request SET entries = ?, places = ?, rejected = ? WHERE tenant = ? AND key = ?"

    let digest: [UInt8]
    /// Stored entries, by place.
    let ids: [EntryID]
    /// The same by their places in the request; nil once all are stored.
    let open: [Int: EntryID]?

    init(digest: [UInt8], ids: [EntryID], open: [Int: EntryID]?) {
        self.digest = digest
        self.open = open
        self.ids = open.map { $0.sorted { $0.key < $1.key }.map(\.value) } ?? ids
    }

    var entries: [UInt8] { IDList.encode(ids) }

    /// Two bytes each; nil once all are stored.
    var places: [UInt8]? {
        open.map { open in
            var bytes: [UInt8] = []
            for place in open.keys.sorted() { bytes.append(bigEndian: UInt16(place)) }
            return bytes
        }
    }

    /// - Returns: nil for a new request.
    /// - Throws: `.damaged`, and disk errors.
    static func read(_ key: [UInt8], _ tenant: Int64, _ sql: StatementCache) throws(StoreError) -> RequestRow? {
        let found = try sql("SELECT digest, entries, places FROM request WHERE tenant = ? AND key = ?").first(
            [.integer(tenant), .bytes(key)]
        ) { row in (digest: row.bytes(0), entries: row.bytes(1), places: row.optionalBytes(2)) }
        guard let found else { return nil }
        guard let ids = IDList.decode(found.entries) else { throw .damaged }
        guard let places = found.places else { return RequestRow(digest: found.digest, ids: ids, open: nil) }
        guard let open = Self.open(ids, at: places) else { throw .damaged }
        return RequestRow(digest: found.digest, ids: ids, open: open)
    }

    /// - Returns: nil for malformed bytes.
    private static func open(_ ids: [EntryID], at bytes: [UInt8]) -> [Int: EntryID]? {
        var reader = ByteReader(bytes[...])
        var open: [Int: EntryID] = [:]
        for id in ids {
            guard let place = reader.take(UInt16.self), open.updateValue(id, forKey: Int(place)) == nil else {
                return nil
            }
        }
        return bytes.count == 2 * ids.count ? open : nil
    }

    /// Answer to a repetition.
    func result(_ digest: [UInt8]) -> EnqueueResult {
        guard self.digest == digest else { return .conflict }
        return open == nil ? .duplicate(ids) : .cut(ids, new: [], error: nil)
    }
}
