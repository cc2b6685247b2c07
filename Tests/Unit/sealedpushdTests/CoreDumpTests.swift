import Glibc
import TestSupport
import Testing

/// Core dumps, which would contain all of the process's secrets.
struct CoreDumpTests {
    /// Each of these would leave a core in its folder, or with the machine's collector, where the machine writes cores.
    @Test(.disabled(if: isSanitized, "a sanitizer ends its process itself"), arguments: [SIGABRT, SIGSEGV, SIGQUIT])
    func `no signal leaves a core, though the one who starts it allows them`(_ number: Int32) throws {
        let folder = try DaemonFolder()
        let script = "cd \"$0\" && ulimit -c \"$(ulimit -H -c)\" && exec \"$@\""
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            wrapper: ["/bin/sh", "-c", script, folder.folder.path]
        )
        _ = process.lines(to: "ready")
        let limits = try ProcessLimits.text(process.id, "limits").split(separator: "\n")
        let core = try #require(limits.first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        // The limit is one lock, and a process that may raise it meets the other: it cannot be dumped, or read. Not
        // every root may: it takes CAP_SYS_RESOURCE.
        try? ProcessLimits.set("--core=unlimited:unlimited", of: process.id)
        if geteuid() != 0 {
            // The files of an undumpable process are root's.
            var status = stat()
            #expect(unsafe stat("/proc/\(process.id)/environ", &status) == 0)
            #expect(status.st_uid == 0)
        }
        process.signal(number)
        #expect(process.wait() == -number)
        #expect(!process.leftCore)
        #expect(try !folder.folder.names().contains { $0.hasPrefix("core") })
    }
}
