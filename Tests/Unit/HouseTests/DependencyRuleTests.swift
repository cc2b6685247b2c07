import Testing

struct DependencyRuleTests {
    private static let targets = [
        #"module("Envelope"),"#, #"module("Primitives", "CSodium"),"#, #"module("Keys", "Envelope", "Primitives"),"#,
        #"module("HPKE", "Primitives"),"#, #"module("Opening", "HPKE", "Keys", "Primitives"),"#,
        #"module("WebPush", "Keys"),"#, #"module("Networking"),"#,
        #"module("APNSProvider", "Envelope", "Networking"),"#,
        #"library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),"#,
    ]
    private static let rows = [
        "| Envelope | bytes | – |", "| Primitives | ciphers | libsodium |", "| Keys | keys | Envelope, Primitives |",
        "| HPKE | RFC 9180 | Primitives |", "| Opening | opens | HPKE, Keys |",
        "| WebPush | opens too | Keys |", "| Networking | moves | – |",
        "| APNSProvider | sends | Networking, Envelope (JSON) |",
    ]

    @Test func `a manifest and a table that agree are not complained of`() throws {
        #expect(try findings(Self.targets, Self.rows) == [])
    }

    @Test func `a dependency that the row does not allow is found, by line`() throws {
        let changed = replacing(Self.targets, #"module("Envelope"),"#, #"module("Envelope", "Keys"),"#)
        #expect(
            try findings(changed, Self.rows).map(\.description) == [
                "Package.swift:4: Envelope depends on Keys, which its row in docs/architecture.md does not allow; "
                    + "use what the row names, or change the row and say why"
            ]
        )
    }

    @Test func `what a used target uses may be used, and what uses it may not`() throws {
        let through = replacing(
            Self.targets,
            #"module("Opening", "HPKE", "Keys", "Primitives"),"#,
            #"module("Opening", "HPKE", "Envelope"),"#
        )
        #expect(try findings(through, Self.rows) == [])
        let back = replacing(Self.targets, #"module("HPKE", "Primitives"),"#, #"module("HPKE", "Opening"),"#)
        #expect(try findings(back, Self.rows).count == 1)
    }

    @Test func `a C module is for those whose own row names it`() throws {
        let changed = replacing(
            Self.targets,
            #"module("HPKE", "Primitives"),"#,
            #"module("HPKE", "Primitives", "CSodium"),"#
        )
        #expect(try findings(changed, Self.rows).map(\.line) == [7])
    }

    @Test func `a target without a row is found`() throws {
        #expect(try findings(Self.targets + [#"module("Secret"),"#], Self.rows).map(\.line) == [13])
    }

    @Test func `a dependency that is no target is found`() throws {
        let changed = replacing(Self.targets, #"module("Networking"),"#, #"module("Networking", "NIO"),"#)
        #expect(try findings(changed, Self.rows).map(\.line) == [10])
    }

    @Test func `a row without a target is found unless it is awaited`() throws {
        let rows = Self.rows + ["| BlobStore | stores | Networking |"]
        let table = try Self.table(rows)
        let manifest = try Self.manifest(Self.targets)
        #expect(DependencyRules.check(table, against: manifest, awaited: []).map(\.line) == [11])
        #expect(DependencyRules.check(table, against: manifest, awaited: ["BlobStore"]) == [])
    }

    @Test func `a row that uses what does not exist is found`() throws {
        let rows = replacing(Self.rows, "| Networking | moves | – |", "| Networking | moves | Enveloppe |")
        let table = try Self.table(rows)
        let findings = DependencyRules.check(table, against: try Self.manifest(Self.targets), awaited: [])
        #expect(findings.map(\.line) == [9])
    }

    @Test(arguments: ["Opening", "HPKE", "WebPush"])
    func `a server that reaches what decrypts is found, however far away it is`(_ name: String) throws {
        #expect(DependencyRules.checkServers(of: try Self.manifest(Self.targets)) == [])
        let changed = replacing(Self.targets, #"module("Networking"),"#, "module(\"Networking\", \"\(name)\"),")
        let findings = DependencyRules.checkServers(of: try Self.manifest(changed))
        #expect(Set(findings.map(\.line)) == [10, 11])
        #expect(findings.contains { $0.problem.hasPrefix("APNSProvider reaches \(name), and no server may") })
    }

    @Test(arguments: [("the rest", []), ("the rest, CLinux", ["CLinux"])] as [(String, Set<String>)])
    func `the rest is every other row, and no C module that is not named`(_ cell: String, _ cModules: Set<String>)
        throws
    {
        let table = try Self.table(Self.rows + ["| sealedpush | commands | \(cell) |"])
        let others = Self.rows.map { String($0.split(separator: " ")[1]) }
        #expect(table.allowedTargets("sealedpush") == Set(others))
        #expect(table.allowedCModules("sealedpush") == cModules)
        #expect(table.allowedTargets("unknown") == [])
    }

    @Test(arguments: ["| Envelope | bytes |", "| Envelope | bytes | – | – |", "| An envelope | bytes | – |"])
    func `a row of another shape is an error`(_ row: String) {
        #expect(throws: Finding.self) { try Self.table([row]) }
    }

    @Test func `a document without the table is an error`() {
        #expect(throws: Finding.self) { try ArchitectureTable(TextFile(path: "a.md", text: "| target | uses |\n")) }
    }

    @Test func `a second manifest that leaves out a dependency, adds one or knows a target of its own is found`() throws
    {
        let manifest = try Self.manifest(Self.targets)
        func findings(_ line: String) throws -> [Finding] {
            let text = "let package = Package(\ntargets: [\n\(line)\nfuzz(\"FuzzKeys\", \"Keys\"),\n])\n"
            let modules = try Manifest.modules(of: TextFile(path: "Fuzz/Package.swift", text: text))
            return DependencyRules.check(modules, of: "Fuzz/Package.swift", against: manifest)
        }
        #expect(try findings(#"module("Keys", "Primitives", "Envelope"),"#) == [])
        #expect(try findings(#"module("Keys", "Envelope"),"#).count == 1)
        #expect(try findings(#"module("Keys", "Envelope", "Primitives", "HPKE"),"#).count == 1)
        #expect(try findings(#"module("Locks", "Keys"),"#).count == 1)
    }

    private func findings(_ targets: [String], _ rows: [String]) throws -> [Finding] {
        DependencyRules.check(try Self.manifest(targets), against: try Self.table(rows))
    }

    /// The first target is in line 4.
    private static func manifest(_ targets: [String]) throws -> Manifest {
        let text = "let package = Package(\nname: \"x\",\ntargets: [\n" + targets.joined(separator: "\n") + "\n])\n"
        return try Manifest(TextFile(path: "Package.swift", text: text))
    }

    /// The first row is in line 3.
    private static func table(_ rows: [String]) throws -> ArchitectureTable {
        let text = "| target | does | uses |\n|---|---|---|\n" + rows.joined(separator: "\n") + "\n\nMore.\n"
        return try ArchitectureTable(TextFile(path: "docs/architecture.md", text: text))
    }

    private func replacing(_ lines: [String], _ old: String, _ new: String) -> [String] {
        lines.map { $0 == old ? new : $0 }
    }
}
