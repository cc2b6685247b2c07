import APNS
import Foundation
import Glibc
import TestSupport
import Testing

/// The steps of "Restoring" in docs/operations.md, as they stand there, with the real program.
struct RestoreDrillTests {
    /// A machine with a service on it, on which the document's lines are run.
    private final class Machine {
        let site: ServiceSite
        var service: RunningService?
        private let copy: String

        /// `copy` replaces the document's path.
        init(copy: String) async throws {
            site = try await ServiceSite()
            self.copy = copy
            // A stand-in for `sudo -u NAME`, which a test cannot have, and the program by its name.
            _ = try site.folder.makeFile("sudo", "#!/bin/sh\nshift 2\nexec \"$@\"\n", mode: 0o700)
            #expect(unsafe symlink(DaemonProcess.program, site.folder.path("sealedpushd")) == 0)
        }

        /// - Returns: the lines' output; each must exit with 0.
        func run(_ lines: [String]) throws -> String {
            try lines.map { line in
                switch line {
                case "systemctl start sealedpushd":
                    service = try site.start()
                    return ""
                case "systemctl stop sealedpushd":
                    if let service { #expect(service.stop() == 0) }
                    service = nil
                    return ""
                default: return try shell(line)
                }
            }.joined()
        }

        private func shell(_ line: String) throws -> String {
            let names = [
                "config=\(site.configuration)", "database=\(site.folder.path("store.sqlite"))", "copy=\(copy)",
                "readiness=http://127.0.0.1:\(service?.port ?? 0)/v1/readiness",
            ]
            let (output, writer) = try Spawn.pipe()
            let id = try Spawn.start(
                ["/bin/bash", "-c", line],
                environment: names + ["PATH=\(site.folder.path):/usr/bin:/bin"],
                descriptors: [nil, writer, writer]
            )
            close(writer)
            let text = FileHandle(fileDescriptor: output, closeOnDealloc: true).readDataToEndOfFile()
            var status: Int32 = 0
            #expect(unsafe waitpid(id, &status, 0) == id)
            let said = String(decoding: text, as: UTF8.self)
            #expect(status == 0, "\(line): \(said)")
            return said
        }
    }

    /// - Returns: the blocks of the section, each as its lines: names, back up, put it back, acknowledge it.
    private static func blocks() throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        let section = try #require(text.split(separator: "\n## Restoring\n").last?.split(separator: "\n## ").first)
        let parts = section.split(separator: "\n```\n", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0].split(separator: "\n").map(String.init) }
    }

    @Test func `the document's steps bring a service back, on the same machine and on a new one`() async throws {
        let blocks = try Self.blocks()
        try #require(blocks.count == 4)
        #expect(blocks[0].map { $0.prefix { $0 != "=" } } == ["config", "database", "copy", "readiness"])
        let folder = try TemporaryFolder()
        let machine = try await Machine(copy: folder.path("copy"))
        _ = try machine.run(["systemctl start sealedpushd"])
        let first = try #require(machine.service)
        try await machine.site.register("d1", at: first)
        let kept = try #require(try first.send(["d1"]).ids.first)
        try await first.until { try first.state(kept) == "accepted" }
        #expect(try machine.run(blocks[1]).contains("copied to \(folder.path("copy"))"))
        let lost = try #require(try first.send(["d1"]).ids.first)
        try await first.until { try first.state(lost) == "accepted" }
        for other in [machine, try await Machine(copy: folder.path("copy"))] {
            let said = try other.run(blocks[2])
            #expect(said.hasPrefix("ok\n") && said.contains("the database was restored"), "\(said)")
            let held = try #require(other.service)
            #expect(try held.state(kept) == "accepted")
            #expect(try held.state(lost) == nil)
            let refused = try held.send(["d1"])
            #expect(refused.status == 503 && refused.body.contains("acknowledge-restore"), "\(refused.body)")
            let done = try other.run(blocks[3])
            #expect(done.hasPrefix("acknowledged (backup): 0 notifications"), "\(done)")
            #expect(done.hasSuffix(#"{"status":"ready"}"#), "\(done)")
            let restored = try #require(other.service)
            #expect(try restored.send(["d1"]).status == 202)
            _ = try other.run(["systemctl stop sealedpushd"])
        }
    }
}
