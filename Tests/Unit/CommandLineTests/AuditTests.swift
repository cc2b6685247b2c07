import Audit
import Envelope
import Foundation
import Platform
import TestSupport
import Testing

extension CommandLineTests {
    /// Canaries through all parts, and leaks that are planted into what these parts really held.
    struct AuditTests {
        @Test func `no party has more than the documents say, and the table shows it`() async throws {
            let folder = try Folder()
            let run = try await Self.run(["--keys", Program.keys], in: folder)
            #expect(run.isDone, "\(run)")
            for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            let words = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("words") })
            #expect(words.split(separator: " ").dropFirst().allSatisfy { $0 == "no" }, "\(words)")
            #expect(!run.output.contains("not searched:"))
            #expect(try folder.names == [])
        }

        @Test func `a program reads a verdict for each cell, with its evidence`() async throws {
            let held = try await AuditedRun.get()
            let run = try await Self.run(["--offline", held.path, "--json"], in: try Folder())
            #expect(run.isDone, "\(run)")
            let lines = try run.output.split(separator: "\n").map { try JSONValue(line: String($0)) }
            let cells = lines.filter { $0["event"]?.string == "cell" }
            #expect(cells.count == Asset.allCases.count * (Party.allCases.count - 1))
            #expect(try cells.allSatisfy { ["no", "yes", "unknown"].contains(try $0.text("verdict")) })
            let bundle = try #require(
                cells.first { $0["asset"]?.string == "identity" && $0["party"]?.string == "store" }
            )
            #expect(try bundle.text("verdict") == "yes" && bundle["evidence"]?.elements?.isEmpty == false)
            // Lengths were compared wherever two messages can be told apart.
            for party in ["apple", "calls", "log", "hooks", "blobs", "locked"] {
                let cell = cells.first { $0["asset"]?.string == "length" && $0["party"]?.string == party }
                #expect(cell?["verdict"]?.string == "no", "\(party)")
            }
            #expect(try lines.last?.integer("faults") == 0)
        }

        @Test(arguments: PlantedLeak.all)
        func `a planted leak is found, and its cell named`(_ leak: PlantedLeak) async throws {
            let held = try await AuditedRun.get()
            let folder = try Folder()
            let source = try await leak.plant(held, folder)
            let run = try await Self.run(
                ["--offline", held.path, "\(leak.party.rawValue)=\(source)"],
                in: folder
            )
            #expect(run.end == .exit(1), "\(run)")
            #expect(run.error.contains("\(leak.asset.rawValue) at \(leak.party.head)"), "\(run)")
            #expect(run.output.contains("  LEAK \(leak.asset.rawValue): "), "\(run)")
            // No canary is printed, but those that are files' names.
            for canary in try held.canaries.canaries where ![.deviceID, .fileAddress].contains(canary.asset) {
                #expect(!run.output.contains(Hex.encode(canary.value)), "\(canary.name)")
                #expect(!run.output.contains(String(decoding: canary.value, as: UTF8.self)), "\(canary.name)")
            }
        }

        @Test func `a source that cannot be read is named, and the audit fails`() async throws {
            let held = try await AuditedRun.get()
            let run = try await Self.run(["--offline", held.path, "log=/nonexistent"], in: try Folder())
            #expect(run.end == .exit(1) && run.error.contains("not searched: log"), "\(run)")
            #expect(run.output.contains("/nonexistent: lstat: No such file or directory"))
        }

        @Test func `wrong words are refused with the reason`() async throws {
            let folder = try Folder()
            for (words, reason) in [
                (["store=a"], "--offline"), (["--offline", "a", "--keep", "b"], "give one of them"),
                (["--offline", "a", "relay=b"], "PARTY=PATH"),
                (["--topic", "a"], "--relay"),
                (["--relay", "https://localhost", "--topic", "a.b"], "--api-key-file is missing"),
                (["--offline", "a", "--process", "0"], "--process"),
            ] {
                #expect(try await Self.run(words, in: folder).isWrongUsage(reason))
            }
            #expect(try await Self.run(["--offline", "absent"], in: folder).isRefused("absent/canaries.json"))
            #expect(try await Self.run([], in: folder).isRefused("keys-example: the example keys are missing"))
        }

        /// As root or, in its own user namespace, as if: only root reads the relay's memory.
        static func run(_ words: [String], in folder: Folder) async throws -> Run {
            let own = [Program.path, "audit"] + words
            guard geteuid() != 0 else { return try await Invocation(["audit"] + words, in: folder).run() }
            return try await Invocation(["--map-root-user"] + own, of: "/usr/bin/unshare", in: folder).run()
        }
    }
}

/// Canaries and holdings of one run of all parts, for every test.
struct AuditedRun: Sendable {
    let path: String

    private static let run = Task {
        let folder = try Folder()
        keep(folder)
        let path = folder.file("held")
        let run = try await CommandLineTests.AuditTests.run(["--keys", Program.keys, "--keep", path], in: folder)
        guard run.isDone else { throw Unexpected("\(run)") }
        return AuditedRun(path: path)
    }

    static func get() async throws -> AuditedRun { try await run.value }

    private static let folder = Guarded<Folder?>(nil)

    /// Until this process ends.
    private static func keep(_ folder: Folder) {
        self.folder.withLock { $0 = folder }
        atexit { AuditedRun.folder.withLock { $0 = nil } }
    }

    var canaries: CanarySet {
        get throws { try CanarySet(json: Array(try Data(contentsOf: URL(fileURLWithPath: path + "/canaries.json")))) }
    }

    func value(_ name: String) throws -> [UInt8] {
        guard let canary = try canaries.canaries.first(where: { $0.name == name }) else {
            throw Unexpected("no canary '\(name)'")
        }
        return canary.value
    }

    func text(_ name: String) throws -> String { String(decoding: try value(name), as: UTF8.self) }

    /// Contents of what a party held.
    func bytes(_ party: Party, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(party.rawValue)/\(name)")))
    }

    func names(_ party: Party) throws -> [String] { try Folder.names("\(path)/\(party.rawValue)") }
}
