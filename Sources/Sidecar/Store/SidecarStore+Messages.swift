import Envelope
import PushStore

/// Message to store, without its words.
struct NewMessage: Sendable {
    struct Copy: Sendable {
        let device: String
        let user: String?
        let result: Result<(sealed: [UInt8], trace: Trace), Rejection>
    }

    let id: MessageID
    let key: [UInt8]?
    /// Keyed hash of the request, to know its repetition.
    let digest: [UInt8]
    let messageClass: String
    let expirySeconds: Int64?
    let collapseID: String?
    let sentAt: Timestamp
    let expiresAt: Timestamp
}

struct StoredMessage: Equatable, Sendable {
    let number: Int64
    let id: [UInt8]
    let digest: [UInt8]
    let messageClass: String
    let expirySeconds: Int64?
    let collapseID: [UInt8]?
    let sentAt: Timestamp
    let expiresAt: Timestamp

    fileprivate static let columns = "number, id, digest, class, expiry, collapse, sent_at, expires_at"

    fileprivate init(_ row: SQLiteRow) {
        number = row.integer(0)
        id = row.bytes(1)
        digest = row.bytes(2)
        messageClass = row.optionalText(3) ?? ""
        expirySeconds = row.optionalInteger(4)
        collapseID = row.optionalBytes(5)
        sentAt = Timestamp(milliseconds: UInt64(max(0, row.integer(6))))
        expiresAt = Timestamp(milliseconds: UInt64(max(0, row.integer(7))))
    }
}

struct StoredCopy: Equatable, Sendable {
    let device: String
    let user: String?
    let state: CopyState
    let relayID: String?
    let rejection: Rejection?
}

extension SidecarStore {
    func message(key: [UInt8]) throws(StoreError) -> StoredMessage? {
        try sql("SELECT \(StoredMessage.columns) FROM messages WHERE key = ?").first([.bytes(key)]) {
            StoredMessage($0)
        }
    }

    func message(id: MessageID) throws(StoreError) -> StoredMessage? {
        let select = "SELECT \(StoredMessage.columns) FROM messages WHERE id = ?"
        return try sql(select).first([.bytes(id.rawRepresentation)]) { StoredMessage($0) }
    }

    func message(number: Int64) throws(StoreError) -> StoredMessage? {
        try sql("SELECT \(StoredMessage.columns) FROM messages WHERE number = ?").first([.integer(number)]) {
            StoredMessage($0)
        }
    }

    /// Numbers of messages with copies that wait.
    func waitingNumbers() throws(StoreError) -> [Int64] {
        try sql("SELECT DISTINCT message FROM copies WHERE state = 0 ORDER BY message").all([]) { $0.integer(0) }
    }

    /// Stores a message with its copies, devices and pins, durably.
    ///
    /// - Returns: its number; nil, with nothing stored, if its idempotency key is known.
    func insert(
        _ message: NewMessage,
        _ copies: [NewMessage.Copy],
        devices: [String: PinnedDevice]
    ) throws(StoreError) -> Int64? {
        try transaction { () throws(StoreError) in
            let insert = """
                INSERT OR IGNORE INTO messages (id, key, digest, class, expiry, collapse, sent_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
            let count = try sql(insert).run([
                .bytes(message.id.rawRepresentation), .optional(message.key), .bytes(message.digest),
                .bytes(Array(message.messageClass.utf8)), .optional(message.expirySeconds),
                .optional(message.collapseID), .integer(Int64(clamping: message.sentAt.milliseconds)),
                .integer(Int64(clamping: message.expiresAt.milliseconds)),
            ])
            guard count > 0, let stored = try self.message(id: message.id) else { return nil }
            try add(copies, to: stored.number)
            for (id, device) in devices { try keep(device, of: id) }
            try note(message.sentAt)
            return stored.number
        }
    }

    /// Adds copies of a stored message, durably, and strikes their devices off the re-sends.
    func insertAgain(
        _ copies: [NewMessage.Copy],
        of number: Int64,
        devices: [String: PinnedDevice]
    ) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try add(copies, to: number)
            for (id, device) in devices { try keep(device, of: id) }
            for copy in copies {
                guard case .success = copy.result else { continue }
                try sql("DELETE FROM resends WHERE message = ? AND device = ?").run([
                    .integer(number), .bytes(Array(copy.device.utf8)),
                ])
            }
        }
    }

    private func add(_ copies: [NewMessage.Copy], to number: Int64) throws(StoreError) {
        let last = try sql("SELECT max(place) FROM copies WHERE message = ?").first([.integer(number)]) {
            $0.optionalInteger(0)
        }
        var place = (last ?? nil).map { $0 + 1 } ?? 0
        let insert = try sql(
            """
            INSERT INTO copies (message, place, device, user, state, sealed, trace, word, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        for copy in copies {
            let (device, user) = (SQLiteValue.bytes(Array(copy.device.utf8)), SQLiteValue.optional(copy.user))
            let head: [SQLiteValue] = [.integer(number), .integer(place), device, user]
            switch copy.result {
            case .success(let made):
                let state = CopyState.queued.rawValue
                try insert.run(
                    head + [.integer(state), .bytes(made.sealed), .bytes(made.trace.rawRepresentation), .null, .null]
                )
                changeLoad(count: 1, byteCount: made.sealed.count)
            case .failure(let rejection):
                let (word, detail) = (Array(rejection.word.utf8), Array(rejection.detail.utf8))
                try insert.run(
                    head + [.integer(CopyState.rejected.rawValue), .null, .null, .bytes(word), .bytes(detail)]
                )
            }
            place += 1
        }
    }

    private func note(_ time: Timestamp) throws(StoreError) {
        let update = """
            INSERT INTO meta (name, value) VALUES ('newest', ?1)
            ON CONFLICT (name) DO UPDATE SET value = max(value, ?1)
            """
        try sql(update).run([.integer(Int64(clamping: time.milliseconds))])
    }

    /// Waiting copies of a message, in order.
    func waitingCopies(of number: Int64) throws(StoreError) -> [PostBody.Copy] {
        let select = "SELECT place, device, sealed, trace FROM copies WHERE message = ? AND state = 0 ORDER BY place"
        return try sql(select).all([.integer(number)]) { row in
            PostBody.Copy(place: row.integer(0), device: row.bytes(1), sealed: row.bytes(2), trace: row.bytes(3))
        }
    }

    /// Records the results of copies, durably, and drops their sealed bytes.
    func settle(
        _ number: Int64,
        accepted: [(copy: PostBody.Copy, relayID: String?)],
        rejected: [(copy: PostBody.Copy, rejection: Rejection)]
    ) throws(StoreError) {
        let update = """
            UPDATE copies SET state = ?, sealed = NULL, relay_id = ?, word = ?, detail = ?
            WHERE message = ? AND place = ? AND state = 0
            """
        try transaction { () throws(StoreError) in
            let statement = try sql(update)
            for (copy, id) in accepted {
                let count = try statement.run([
                    .integer(CopyState.accepted.rawValue), .optional(id), .null, .null, .integer(number),
                    .integer(copy.place),
                ])
                if count > 0 { changeLoad(count: -1, byteCount: -copy.sealed.count) }
            }
            for (copy, rejection) in rejected {
                let count = try statement.run([
                    .integer(CopyState.rejected.rawValue), .null, .bytes(Array(rejection.word.utf8)),
                    .bytes(Array(rejection.detail.utf8)), .integer(number), .integer(copy.place),
                ])
                if count > 0 { changeLoad(count: -1, byteCount: -copy.sealed.count) }
            }
        }
    }

    /// Newest copy of each recipient, in the request's order.
    func copies(of number: Int64) throws(StoreError) -> [StoredCopy] {
        let select = """
            SELECT device, user, state, relay_id, word, detail FROM copies WHERE message = ? ORDER BY place
            """
        var places: [String: Int] = [:]
        var copies: [StoredCopy] = []
        for copy in try sql(select).all([.integer(number)], { Self.copy($0) }) {
            if let place = places[copy.device] {
                copies[place] = copy
            } else {
                places[copy.device] = copies.count
                copies.append(copy)
            }
        }
        return copies
    }

    private static func copy(_ row: SQLiteRow) -> StoredCopy {
        let word = row.optionalText(4)
        return StoredCopy(
            device: row.optionalText(0) ?? "",
            user: row.optionalText(1),
            state: CopyState(rawValue: row.integer(2)) ?? .rejected,
            relayID: row.optionalText(3),
            rejection: word.map { Rejection($0, row.optionalText(5) ?? "") }
        )
    }

    /// Deletes at most 1,000 settled messages, sealed before `time` and expired.
    func purge(sealedBefore time: Timestamp, now: Timestamp) throws(StoreError) {
        try transaction { () throws(StoreError) in
            let select = """
                SELECT number FROM messages WHERE sent_at < ? AND expires_at < ?
                AND NOT EXISTS (SELECT 1 FROM copies WHERE message = number AND state = 0) LIMIT 1000
                """
            let (before, end) = (Int64(clamping: time.milliseconds), Int64(clamping: now.milliseconds))
            for number in try sql(select).all([.integer(before), .integer(end)], { $0.integer(0) }) {
                for table in ["copies", "resends"] {
                    try sql("DELETE FROM \(table) WHERE message = ?").run([.integer(number)])
                }
                try sql("DELETE FROM messages WHERE number = ?").run([.integer(number)])
            }
        }
    }
}
