import Glibc
import TestSupport
import Testing

/// Impossible starts: what happened, to what, what to do, and whether systemd should retry.
struct WrongStartTests {
    private static let listen = #"[{"address": "127.0.0.1", "port": 0}]"#

    @Test(
        arguments: [
            (
                #"[{"address": "127.0.0.1", "port": 9443}, {"address": "127.0.0.1", "port": 9443}]"#,
                "2:13: /listen: two of them would have port 9443; give each its own, or remove one"
            ),
            (
                #"[{"address": "::", "port": 9443}, {"address": "::1", "port": 9443}]"#,
                "2:13: /listen: two of them would have port 9443; give each its own, or remove one"
            ),
            (
                #"[{"address": "0.0.0.0", "port": 9443}], "loopback-port": 9443"#,
                "2:70: /loopback-port: one of 'listen' has this port of 127.0.0.1; choose another (0: any)"
            ),
        ]
    )
    func `two who would listen on one port are told before another program is blamed`(
        _ change: (listen: String, said: String)
    ) throws {
        let folder = try DaemonFolder()
        try folder.write(folder.replacing(Self.listen, with: change.listen))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 78)
        #expect(ended.complaint == "\(folder.configuration):\(change.said)\n")
    }

    @Test(
        arguments: [
            #"[{"address": "127.0.0.1", "port": 0}, {"address": "127.0.0.1", "port": 0}], "loopback-port": 0"#,
            #"[{"address": "0.0.0.0", "port": 9443}, {"address": "::", "port": 9443}], "loopback-port": 9080"#,
            #"[{"address": "127.0.0.2", "port": 9443}, {"address": "127.0.0.3", "port": 9443}], "loopback-port": 9443"#,
        ]
    )
    func `ports of any number, other addresses and other families are no faults`(_ listen: String) throws {
        let folder = try DaemonFolder()
        try folder.write(folder.replacing(Self.listen, with: listen))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 0, "\(ended.complaint)")
    }

    @Test(arguments: ["folder", "link", "link to a file"])
    func `something else in the database's place is named`(_ kind: String) throws {
        let folder = try DaemonFolder()
        let path = folder.folder.path("store.sqlite")
        if kind == "folder" {
            #expect(unsafe mkdir(path, 0o700) == 0)
        } else {
            // SQLite would make the files beside it elsewhere.
            try folder.change("other.sqlite", "")
            let place = kind == "link" ? "/dev/null" : folder.folder.path("other.sqlite")
            #expect(unsafe symlink(place, path) == 0)
        }
        let ended = try Ended(["--config", folder.configuration])
        #expect(ended.code == 78)
        let said = "it is not a regular file; give the path of a file"
        #expect(ended.complaint == "\(folder.configuration):7:20: /database-file: \(said)\n")
    }

    @Test func `a database of another program is no reason to try again`() throws {
        let folder = try DaemonFolder()
        try folder.change("store.sqlite", "this is not a database, and it is long enough to be looked at as one")
        let ended = try Ended(["--config", folder.configuration])
        #expect(ended.code == 78)
        #expect(ended.complaint.contains("the file is not a database of sealedpushd; give another database-file"))
    }

    @Test func `a folder in the configuration's place says so`() throws {
        let folder = try TemporaryFolder()
        let ended = try Ended(["--config", folder.path])
        #expect(ended.code == 78)
        #expect(ended.complaint == "\(folder.path): it is a folder; give the path of a file\n")
    }

    @Test func `a copy that cannot be made is told apart from a database that is not there`() throws {
        let folder = try DaemonFolder()
        let copy = folder.folder.path("nowhere/copy")
        let ended = try Ended(["backup", copy, "--config", folder.configuration])
        #expect(ended.code == 1)
        #expect(ended.complaint == "sealedpushd: \(copy): its folder does not exist; make it\n")
        let good = try Ended(["backup", folder.folder.path("copy"), "--config", folder.configuration])
        #expect(
            good.complaint
                == "sealedpushd: \(folder.folder.path("store.sqlite")) does not exist yet; start the service once\n"
        )
    }

    // MARK: Without the rights

    /// Root without the capabilities that distinguish it from another user.
    private static let powerless = ["/usr/bin/setpriv", "--inh-caps=-all", "--bounding-set=-all"]

    private static let canGiveAway: Bool = {
        guard geteuid() == 0, let process = try? LineProcess(powerless[0], Array(powerless.dropFirst()) + ["true"])
        else {
            return false
        }
        return process.wait() == 0
    }()

    @Test(
        .enabled(if: canGiveAway, "files are given away by root alone"),
        arguments: [
            (
                "tls.key",
                "5:17: /tls/key-file: this user may not read it, or not enter a folder above it; give it to the service's user: chown"
            ),
            (
                "store.sqlite",
                "7:20: /database-file: it belongs to another user; give it, and all that begin with its name, to the service's user: chown"
            ),
            (
                "store.sqlite-lock",
                "7:20: /database-file: the file with -lock behind its name belongs to another user; give it, and all that begin with its name, to the service's user: chown"
            ),
        ]
    )
    func `a file of another user is named, with what to do`(_ example: (name: String, said: String)) throws {
        let folder = try DaemonFolder()
        if example.name.hasPrefix("store") { try folder.change(example.name, "") }
        #expect(unsafe chown(folder.folder.path(example.name), 65_534, 65_534) == 0)
        let process = try DaemonProcess(["--config", folder.configuration], wrapper: Self.powerless)
        #expect(process.complaint() == "\(folder.configuration):\(example.said)\n")
        #expect(process.wait() == 78)
    }

    private static let hasPortsOfRoot: Bool = {
        guard canGiveAway, let file = unsafe fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "r") else {
            return false
        }
        defer { unsafe fclose(file) }
        var first: Int32 = 0
        return unsafe withUnsafeMutablePointer(to: &first) { first in
            unsafe withVaList([first]) { unsafe vfscanf(file, "%d", $0) }
        } == 1 && first > 1
    }()

    @Test(.enabled(if: hasPortsOfRoot, "every user may have every port here"))
    func `a port that its user may not have says how, and systemd need not try again`() throws {
        let folder = try DaemonFolder(port: 1)
        let process = try DaemonProcess(["--config", folder.configuration], wrapper: Self.powerless)
        #expect(
            process.complaint()
                == "sealedpushd: 127.0.0.1:1: this user may not listen on port 1: choose one from 1024 on, or allow "
                + "it to every user (sysctl net.ipv4.ip_unprivileged_port_start=1)\n"
        )
        #expect(process.wait() == 78)
    }
}
