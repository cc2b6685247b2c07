import Audit
import CSQLite
import Envelope
import Foundation
import TestSupport
import Testing

/// Leak that is put into a copy of what a party really held.
struct PlantedLeak: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let asset: Asset
    let party: Party
    /// - Returns: path of the file or folder with the leak.
    let plant: @Sendable (AuditedRun, Folder) async throws -> String

    private init(
        _ description: String,
        _ asset: Asset,
        _ party: Party,
        _ plant: @escaping @Sendable (AuditedRun, Folder) async throws -> String
    ) {
        testDescription = description
        self.asset = asset
        self.party = party
        self.plant = plant
    }

    static let all = texts + records + databases + memory + files

    private static let texts = [
        PlantedLeak("a log line with a title", .words, .log) { run, folder in
            let line = #"{"time":"2026-11-27T03:43:00.520Z","event":"attempt","title":"\#(try run.text(title))"}"#
            return try folder.write("log", String(decoding: try run.bytes(.log, "lines"), as: UTF8.self) + line + "\n")
        },
        PlantedLeak("a log line with a device token in capitals", .deviceToken, .log) { run, folder in
            try folder.write("log", "token=" + Hex.encode(try run.value("device token")).uppercased())
        },
        PlantedLeak("a log line with half of an attachment's key as an array", .attachment, .log) { run, folder in
            try folder.write("log", "\(Array(try run.value("key of the short picture").prefix(16)))")
        },
        PlantedLeak("a log line with a sealed payload", .envelope, .log) { run, folder in
            try folder.write("log", Base64URL.string(try run.value("sealed bytes of the long message")))
        },
        PlantedLeak("a title in base64 in a metric's label", .words, .stats) { run, folder in
            let label = Data("Re: \(try run.text(title))".utf8).base64EncodedString()
            let metrics = String(decoding: try run.bytes(.stats, "metrics"), as: UTF8.self)
            return try folder.write("metrics", metrics + "sealedpush_x{topic=\"\(label)\"} 1\n")
        },
        PlantedLeak("a webhook body with a device token", .deviceToken, .hooks) { run, folder in
            try folder.write("body", #"{"event":"dead","token":"\#(Hex.encode(try run.value("device token")))"}"#)
        },
        PlantedLeak("a conversation as a collapse id at Apple", .words, .apple) { run, folder in
            try folder.write("push", "apns-collapse-id: " + (try run.text("conversation of the short message")))
        },
        PlantedLeak("a push with the sender's public key", .sender, .apple) { run, folder in
            try folder.write("push", #"{"from":"\#(Base64URL.string(try run.value("sender's public key")))"}"#)
        },
    ]

    private static let records = [
        PlantedLeak("a log line with a length", .length, .log) { run, folder in
            let pair = try #require(try run.canaries.records.first)
            let lines = [(pair.short, 24), (pair.long, 1_524)].map { trace, count in
                #"{"event":"sealed","trace":"\#(trace)","bytes":\#(count)}"#
            }
            return try folder.write("log", lines.joined(separator: "\n") + "\n")
        },
        PlantedLeak("a push that is longer for a longer text", .length, .apple) { run, folder in
            let pair = try #require(try run.canaries.records.first)
            let lines = [(pair.short, 24), (pair.long, 1_524)].map { trace, count in
                #"{"payload":{"trace":"\#(trace)","sealed":"\#(String(repeating: "A", count: count))"}}"#
            }
            return try folder.write("pushes", lines.joined(separator: "\n") + "\n")
        },
        PlantedLeak("a stored file without padding", .length, .blobs) { run, folder in
            let short = try run.value("short picture, sealed")
            let name = try run.names(.blobs).first { name in
                Data(try run.bytes(.blobs, name)).range(of: Data(short)) != nil
            }
            return try folder.write("file", bytes: try run.bytes(.blobs, try #require(name)) + [0])
        },
    ]

    private static let databases = [
        PlantedLeak("a device token in clear in the database", .deviceToken, .store) { run, folder in
            try database(run, folder, "INSERT INTO leak VALUES (x'\(Hex.encode(try run.value("device token")))')")
        },
        PlantedLeak("a deleted text in a free page of the database", .words, .store) { run, folder in
            let text = try run.text("text of the short message") + String(repeating: "x", count: 20_000)
            return try database(run, folder, "INSERT INTO leak VALUES ('\(text)')", "DELETE FROM leak")
        },
        PlantedLeak("an API key in a back-up", .relayKeys, .copy) { run, folder in
            try database(run, folder, "INSERT INTO leak VALUES ('\(try run.text("API key"))')")
        },
        PlantedLeak("a receipt's capability in the database's log", .capability, .store) { run, folder in
            let log = try run.bytes(.store, "store.sqlite-wal")
            try folder.write("store", bytes: try run.bytes(.store, "store.sqlite"))
            let leak = try run.value("receipt capability of the short message")
            try folder.write("store-wal", bytes: log + leak)
            return folder.file("store")
        },
    ]

    private static let memory = [
        PlantedLeak("a text in UTF-16 in a process's memory", .words, .memory) { run, folder in
            let text = try run.text("subtitle of the long message")
            return try image(of: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, folder)
        },
        PlantedLeak("the sender's key in a process's memory", .senderKey, .memory) { run, folder in
            try image(of: try run.value("sender's private key"), folder)
        },
        PlantedLeak("a key in a core file", .relayKeys, .core) { run, folder in
            try image(of: try run.value("key of device tokens"), folder)
        },
    ]

    private static let files = [
        PlantedLeak("a spooled file with its text before the first unlock", .words, .locked) { run, folder in
            let name = try #require(try run.names(.locked).first { $0.hasSuffix("sealedpush.spool") })
            return try folder.write(
                "item",
                bytes: try run.bytes(.locked, name) + (try run.value("title of the short kept message"))
            )
        },
        PlantedLeak("a text among the files of an unlocked phone", .words, .phone) { run, folder in
            try folder.write("notes", try run.text("title of the long kept message").uppercased())
        },
        PlantedLeak("a device's id in a stored file's name", .deviceID, .blobs) { run, folder in
            let blobs = try folder.makeFolder("blobs")
            let name = try #require(try run.names(.blobs).first)
            try folder.write("blobs/for-" + (try run.text("device id")), bytes: try run.bytes(.blobs, name))
            return blobs
        },
        PlantedLeak("a device's private key at the host of attachments", .deviceKeys, .blobs) { run, folder in
            try folder.write("file", bytes: Array("key ".utf8) + (try run.value("device's prekey")))
        },
    ]

    private static let title = "title of the short message"

    /// The relay's own database, changed by SQLite.
    private static func database(_ run: AuditedRun, _ folder: Folder, _ statements: String...) throws -> String {
        for name in ["", "-wal"] {
            try folder.write("store" + name, bytes: try run.bytes(.store, "store.sqlite" + name))
        }
        var connection: OpaquePointer?
        defer { unsafe sqlite3_close(connection) }
        #expect(unsafe sqlite3_open(folder.file("store"), &connection) == SQLITE_OK)
        let start = ["PRAGMA wal_autocheckpoint = 0", "PRAGMA secure_delete = 0", "CREATE TABLE leak (value)"]
        for statement in start + statements + ["PRAGMA wal_checkpoint(TRUNCATE)"] {
            #expect(unsafe sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK, "\(statement.prefix(40))")
        }
        return folder.file("store")
    }

    /// Memory of a real process that had these bytes in its hands.
    private static func image(of bytes: [UInt8], _ folder: Folder) throws -> String {
        let (input, writer) = try Spawn.pipe()
        let (reader, output) = try Spawn.pipe()
        defer { for end in [input, writer, reader, output] { close(end) } }
        let process = try Spawn.start(["/bin/dd", "bs=4096", "status=none"], descriptors: [input, output])
        defer {
            _ = kill(process, SIGKILL)
            _ = waitpid(process, nil, 0)
        }
        #expect(unsafe write(writer, bytes, bytes.count) == bytes.count)
        // Out again: it has them.
        var copy = [UInt8](repeating: 0, count: bytes.count)
        #expect(unsafe read(reader, &copy, copy.count) == bytes.count && copy == bytes)
        let path = folder.file("image")
        try MemoryImage.write(of: process, to: path)
        return path
    }
}
