import Glibc
import TestSupport
import Testing

/// "The relay cannot decrypt", checked on the linked program. Debug builds here; the optimised one too where it exists,
/// as in `.ci/full`.
struct LinkedSymbolTests {
    /// Prefixes of mangled names: `$s`, then the module's name behind its length.
    private static let decrypting = ["$s7Opening", "$s4HPKE"]

    /// Servers that carry sealed content, each with a module of its own.
    private static let servers = [("sealedpushd", "$s11PushService"), ("sealedpush-blobs", "$s9BlobStore")]
    /// Measurement: the module, and its types that once were in others.
    private static let measuring = ["$s5Bench", "11FaultServer", "12LatencyProxy"]

    @Test(arguments: servers)
    func `no symbol of what decrypts is in a server`(_ server: String, _ own: String) throws {
        for folder in Self.folders where Self.isThere("\(folder)/\(server)") {
            let symbols = try Self.symbols(of: "\(folder)/\(server)")
            // The symbols were read: its own module is among them.
            #expect(symbols.contains(own), "\(folder)")
            for prefix in Self.decrypting { #expect(!symbols.contains(prefix), "\(prefix) in \(folder)") }
        }
    }

    @Test func `the sidecar seals and cannot open`() throws {
        for folder in Self.folders where Self.isThere("\(folder)/sealedpush-sidecar") {
            let symbols = try Self.symbols(of: "\(folder)/sealedpush-sidecar")
            #expect(symbols.contains("$s7Sidecar") && symbols.contains("$s7Sealing"), "\(folder)")
            #expect(!symbols.contains("$s7Opening"), "\(folder)")
        }
    }

    @Test func `no bench, fault server or latency proxy is in what is shipped`() throws {
        for folder in Self.folders {
            for program in ["sealedpush", "sealedpush-blobs", "sealedpush-sidecar", "sealedpushd"]
            where Self.isThere("\(folder)/\(program)") {
                let symbols = try Self.symbols(of: "\(folder)/\(program)")
                for word in Self.measuring { #expect(!symbols.contains(word), "\(word) in \(folder)/\(program)") }
            }
        }
    }

    @Test func `the same look finds them in sealedpush-bench`() throws {
        let symbols = try Self.symbols(of: DaemonProcess.folder + "/sealedpush-bench")
        for word in Self.measuring { #expect(symbols.contains(word), "\(word)") }
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

    /// Folders of programs, beside these tests and of other configurations.
    private static var folders: [String] {
        let own = DaemonProcess.folder
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
