import TestSupport
import Testing

struct StoreCommandTests {
    @Test func `a back-up is made beside the running service, and starts with the same key`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        let copy = folder.folder.path("copy.sqlite")
        let words = ["backup", copy, "--config", folder.configuration]
        let made = try Ended(words)
        #expect(made.code == 0, "\(made.complaint)")
        let again = try Ended(words)
        #expect(again.code == 1)
        #expect(again.complaint == "sealedpushd: the copy's file exists already; name another\n")
        let restored = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["SEALEDPUSH_DATABASE_FILE=\(copy)"]
        )
        #expect(restored.lines(to: "ready").last?.contains("ready") == true)
    }

    @Test func `a look from outside leaves a killed service's log where it is`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        process.signal(9)
        process.wait()
        #expect(try folder.folder.names().contains("store.sqlite-wal"))
        #expect(try Ended(["integrity", "--config", folder.configuration]).output == "ok\n")
        #expect(try Ended(["backup", folder.folder.path("copy"), "--config", folder.configuration]).code == 0)
        #expect(try folder.folder.names().contains("store.sqlite-wal"))
        let next = try DaemonProcess(["--config", folder.configuration])
        let opened = try #require(next.lines(to: "ready").first { $0.contains("store-opened") })
        #expect(DaemonProcess.value("restored", in: opened) == "no")
    }

    @Test func `a database that is not there, or none of ours, is told apart`() throws {
        let folder = try DaemonFolder()
        let words = ["integrity", "--config", folder.configuration]
        let path = folder.folder.path("store.sqlite")
        #expect(try Ended(words).complaint == "sealedpushd: \(path) does not exist yet; start the service once\n")
        try folder.change("store.sqlite", "this is not a database, and it is long enough to be looked at as one")
        let ended = try Ended(words)
        #expect(ended.code == 1)
        #expect(
            ended.complaint
                == "sealedpushd: \(path): the file is not a database of sealedpushd; give another database-file\n"
        )
    }
}
