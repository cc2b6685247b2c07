import Testing

struct ImportRuleTests {
    private static let manifest = """
        let package = Package(targets: [
            module("Envelope"),
            module("Keys", "Envelope", "CSodium"),
            module("KeysMore"),
            module("Opening", "Keys"),
            module("UserNotifications"),
            .executableTarget(name: "sealedpush", swiftSettings: house),
            library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        ])
        """

    @Test(arguments: ["Envelope", "CSodium", "Glibc", "Darwin", "Synchronization"])
    func `a declared module and the toolchain's may be imported`(_ module: String) throws {
        #expect(try findings("import \(module)\n") == [])
    }

    @Test(arguments: [
        "import Opening", "  import Opening", "public import Opening", "@testable import Opening",
        "@preconcurrency package import Opening", "@_spi(Testing) import Opening", "import struct Opening.KeyRing",
        "import func Opening.open", "import Opening.KeyRing", "import\tOpening", "let a = 1; import Opening",
        "/* why */ import Opening", "import Opening // why", "#if os(Linux)\nimport Opening\n#endif", "import COpenSSL",
        "import Dispatch", "import FoundationEssentials", "@_implementationOnly import Opening",
    ])
    func `an import that is not declared is found, however it is spelled`(_ text: String) throws {
        #expect(try findings(text).count == 1)
    }

    @Test(arguments: ["await withCheckedContinuation { run($0) }", "let waiting: UnsafeContinuation<Void, Never>"])
    func `a continuation that the thread sanitizer does not see is found`(_ text: String) throws {
        #expect(try findings(text).count == 1)
        #expect(try findings("import Platform\n" + text).allSatisfy { !$0.problem.contains("continuation") })
    }

    @Test(arguments: [
        "// import Opening", "/// import Opening", "/* import Opening */", "/* a /* b */\nimport Opening\n*/",
        "let a = \"import Opening\"", "let a = \"\"\"\n    import Opening\n    \"\"\"", "let important = Opening",
        "let a = #\"\"\"\nimport Opening \" \\(x)\n\"\"\"#",
    ])
    func `what only looks like an import is none`(_ text: String) throws {
        #expect(try findings(text) == [])
    }

    @Test func `Foundation is for the targets of Apple's API`() throws {
        #expect(try findings("import Foundation", in: "Sources/UserNotifications/A.swift") == [])
        #expect(
            try findings("\nimport Foundation").map(\.description) == [
                "Sources/Keys/Files/A.swift:2: Foundation is for Apple's own API only; "
                    + "work on bytes, or move this to another target"
            ]
        )
    }

    @Test func `Dispatch is for the command line`() throws {
        #expect(try findings("import Dispatch", in: "Sources/sealedpush/A.swift") == [])
        #expect(try findings("import Dispatch", in: "Sources/UserNotifications/A.swift").count == 1)
    }

    @Test func `a target's folder is not that of another whose name goes on`() throws {
        #expect(try findings("import Envelope", in: "Sources/KeysMore/A.swift").count == 1)
    }

    @Test(arguments: ["Sources/Orphan/A.swift", "Sources/CSodium/A.swift", "Sources/A.swift"])
    func `a file of no target is found`(_ path: String) throws {
        #expect(try findings("", in: path).map(\.line) == [1])
    }

    @Test func `the file for one of Apple's interfaces may import it, and no file beside it may`() throws {
        let text = "import Foundation\nimport Security\n"
        #expect(try findings(text, in: "Sources/Keys/Storage/KeychainSecretStore.swift").isEmpty)
        #expect(try findings(text, in: "Sources/Keys/Storage/SecretStore.swift").map(\.line) == [1, 2])
    }

    private func findings(_ text: String, in path: String = "Sources/Keys/Files/A.swift") throws -> [Finding] {
        let manifest = try Manifest(TextFile(path: "Package.swift", text: Self.manifest))
        return ImportRules.check([TextFile(path: path, text: text)], of: manifest)
    }
}
