import Glibc
import TestSupport
import Testing

/// "The relay cannot decrypt", read from what was linked. Debug builds here; the optimised one too where it is there, which
/// `.ci/full` sees to.
struct LinkedSymbolTests {
    /// Mangled names begin with `$s`, and the module's name behind its length.
    private static let decrypting = ["$s7Opening", "$s4HPKE"]

    @Test func `no symbol of what decrypts is in sealedpushd`() throws {
        for folder in Self.folders {
            let symbols = try Self.symbols(of: folder + "/sealedpushd")
            // It was read: what it is made of is in it.
            #expect(symbols.contains("$s11PushService"), "\(folder)")
            for prefix in Self.decrypting { #expect(!symbols.contains(prefix), "\(prefix) in \(folder)") }
        }
    }

    @Test func `the same look finds it in sealedpush`() throws {
        for folder in Self.folders where Self.isThere(folder + "/sealedpush") {
            let symbols = try Self.symbols(of: folder + "/sealedpush")
            for prefix in Self.decrypting { #expect(symbols.contains(prefix), "\(prefix) in \(folder)") }
        }
    }

    @Test func `what sealedpushd calls through is bound when it starts and cannot be written to afterwards`() throws {
        for folder in Self.folders {
            let path = folder + "/sealedpushd"
            #expect(try Self.output("/usr/bin/readelf", ["--dynamic", path]).contains("Flags: NOW"), "\(folder)")
            #expect(
                try Self.output("/usr/bin/readelf", ["--program-headers", path]).contains("GNU_RELRO"),
                "\(folder)"
            )
        }
    }

    /// Beside these tests, and beside the folder of their configuration.
    private static var folders: [String] {
        let own = String(DaemonProcess.program.dropLast("/sealedpushd".count))
        let release = own + "/../../release"
        return isThere(release + "/sealedpushd") ? [own, release] : [own]
    }

    private static func isThere(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    private static func symbols(of path: String) throws -> String { try output("/usr/bin/nm", [path]) }

    private static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = try LineProcess(program, arguments)
        let text = process.rest()
        #expect(process.wait() == 0, "\(program) \(arguments)")
        return text
    }
}
