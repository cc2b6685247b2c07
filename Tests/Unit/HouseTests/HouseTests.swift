import Testing

/// The rules, held against the checkout. Tests beside them plant faults in texts to show that each finds them.
struct HouseTests {
    /// Targets, documents and suites that documents name already and later commits bring. Empty when all of them exist.
    static let awaited: Set<String> = []

    private let manifest: Manifest
    private let table: ArchitectureTable

    init() throws {
        manifest = try Manifest(Checkout.file("Package.swift"))
        table = try ArchitectureTable(Checkout.file("docs/architecture.md"))
    }

    @Test func `every target uses what architecture.md allows it, and nothing else`() {
        #expect(manifest.targets.filter(\.isOurs).count >= 10)
        report(DependencyRules.check(manifest, against: table))
    }

    @Test func `the fuzz targets' manifest declares what it builds of the project as the project does`() throws {
        let path = "Fuzz/Package.swift"
        let modules = try Manifest.modules(of: Checkout.file(path))
        #expect(modules.count >= 10)
        report(DependencyRules.check(modules, of: path, against: manifest))
    }

    @Test func `AppleSide builds the modules as the project does, and on stand-ins`() throws {
        let path = "AppleSide/Package.swift"
        let modules = try Manifest.modules(of: Checkout.file(path))
        #expect(modules.count >= 15)
        report(DependencyRules.checkAppleSide(modules, of: path, against: manifest))
    }

    @Test func `every row of architecture.md is a target`() {
        report(DependencyRules.check(table, against: manifest, awaited: Self.awaited))
    }

    @Test func `abuse-cases.md has every abuse case of the protocol, and every vector that it cites is there`() throws {
        let vectors = try Checkout.names(under: "Tests/Conformance/Vectors/sealedpush", ending: ".txt").map {
            String($0.dropLast(".txt".count))
        }
        #expect(vectors.count >= 120)
        report(AbuseCaseTable.check(try Checkout.file("Tests/Conformance/Vectors/abuse-cases.md"), vectors: vectors))
    }

    @Test func `no server reaches what decrypts`() {
        // The rule is not empty: the command line does reach it.
        #expect(manifest.reachable(from: "sealedpush").isSuperset(of: DependencyRules.decrypting))
        report(DependencyRules.checkServers(of: manifest))
    }

    @Test func `sealing holds no key that decrypts: it never reaches Opening (protocol v1, rule 21)`() {
        let sealing = manifest.reachable(from: "Sealing")
        // It does reach what it seals with, so the rule is not empty.
        #expect(sealing.isSuperset(of: ["HPKE", "Keys"]))
        #expect(!sealing.contains("Opening"))
        for target in ["Keys", "HPKE", "Primitives", "Envelope"] {
            #expect(!manifest.reachable(from: target).contains("Opening"))
        }
    }

    @Test func `every import is declared, and Foundation is where it may be`() throws {
        let files = try ["Sources", "Benchmarks"].flatMap { try Checkout.files(under: $0, ending: ".swift") }
        #expect(files.count > 80)
        report(ImportRules.check(files, of: manifest))
    }

    /// The standard library has a `checkIsolated` for every executor that has none of its own, and it always fails.
    @Test func `a file that checks its loop imports the loop's check`() throws {
        let files = try Checkout.files(under: "Sources", ending: ".swift").filter {
            !$0.path.hasPrefix("Sources/Networking/") && $0.text.contains(".checkIsolated()")
        }
        #expect(files.count > 2)
        for file in files { #expect(file.text.contains("import Networking\n"), "\(file.path)") }
    }

    @Test func `no file traps at the world's mistakes, prints, is left unfinished or is too long`() throws {
        let files = try Checkout.swiftFiles()
        #expect(files.count > 150)
        report(files.flatMap(SourceRules.check))
    }

    @Test func `a doc comment begins with a noun or a verb, a thing is it, and no retired word names anything`() throws
    {
        let files = try Checkout.swiftFiles()
        #expect(files.count > 150)
        report(files.flatMap(LanguageRules.checkFirstWords))
        report(files.flatMap(LanguageRules.checkPersons))
        // Names and texts in Tests may keep their own words.
        let own = files.filter { !$0.path.hasPrefix("Tests/") }
        report(own.flatMap(LanguageRules.checkNames))
        report(own.flatMap(LanguageRules.checkTexts))
        report(own.flatMap(LanguageRules.checkErrors))
    }

    @Test func `each target of Tests stands in a folder that its README describes`() throws {
        let readme = try Checkout.file("Tests/README.md").text
        let folders = manifest.targets.map { $0.path.split(separator: "/") }.filter { $0[0] == "Tests" }.map { $0[1] }
        #expect(folders.count > 50)
        for folder in Set(folders) { #expect(readme.contains("\n| `\(folder)` | "), "\(folder)") }
    }

    @Test func `a file is named after its main type`() throws {
        let files = try ["Sources", "Benchmarks"].flatMap { try Checkout.files(under: $0, ending: ".swift") }
        // `scripts/build-date` writes the one; Security is C's, its files are named as Apple's headers are.
        let others = ["Sources/Opening/Message/BuildDate.swift", "Sources/Security/"]
        report(files.filter { !others.contains(where: $0.path.hasPrefix) }.flatMap(PlaceRules.checkNames))
    }

    @Test(arguments: [
        "PushService", "PushStore", "NotificationCore", "Opening", "Primitives", "Networking", "HTTP", "APNSProvider",
    ])
    func `a module's folders use each other one way`(_ module: String) throws {
        let files = try Checkout.files(under: "Sources/\(module)", ending: ".swift")
        #expect(files.count > 20)
        report(PlaceRules.checkFolders(files, of: "Sources/\(module)"))
    }

    @Test func `each module's README is short, says what it may import and names files that are there`() throws {
        for target in manifest.targets where target.isOurs {
            let readme = try Checkout.file(target.path + "/README.md")
            report(PlaceRules.checkReadme(readme, of: target.name, imports: target.dependencies))
            report(PlaceRules.checkNamedFiles(readme, in: try Checkout.names(under: target.path, ending: ".swift")))
        }
    }

    @Test func `the version is the newest of the changelog`() throws {
        let versions = try Checkout.file("CHANGELOG.md").lines
            .compactMap { $0.text.firstMatch(of: /^## (\d+\.\d+\.\d+)/)?.output.1 }
        let newest = try #require(versions.first)
        let source = try Checkout.file("Sources/Platform/ReleaseVersion.swift").text
        #expect(source.contains("\"\(newest)\""), "\(newest)")
    }

    @Test func `every type that the glossary names is declared`() throws {
        let glossary = try Checkout.file("docs/glossary.md")
        let files = try Checkout.files(under: "Sources", ending: ".swift")
        report(LanguageRules.checkGlossary(glossary, against: files))
    }

    @Test func `every relative link leads somewhere`() throws {
        let documents = [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "keys-example/README.md",
            "Examples/ChatApp/README.md", "Examples/Providers/README.md", "Tests/README.md",
            "Tests/Conformance/Vectors/abuse-cases.md",
        ]
        .filter(Checkout.exists)
        let files = try documents.map(Checkout.file) + Checkout.files(under: "docs", ending: ".md")
        #expect(files.count >= 6)
        report(
            files.flatMap {
                DocumentRules.checkLinks(of: $0, awaited: Self.awaited, exists: Checkout.exists)
            }
        )
    }

    @Test func `every test that abuse-cases.md, review.md and security.md cite in a table is there`() throws {
        let tests = try Checkout.files(under: "Tests", ending: ".swift")
        for page in ["Tests/Conformance/Vectors/abuse-cases.md", "docs/review.md", "docs/security.md"] {
            let document = try Checkout.file(page)
            report(DocumentRules.checkCitedTests(of: document, in: tests, awaited: Self.awaited))
        }
    }

    /// Each page, with the places where its Swift is compiled and run: by tests of this package, by
    /// Examples/AppTeam/test or by Examples/Providers/test.
    static let swiftPages = [
        "README.md": ["Examples/ChatApp", "Tests/EndToEnd/DocumentedCodeTests"],
        "docs/attachments.md": ["Tests/Conformance/Strangers/UploadingBackEnd"],
        "docs/ios.md": ["Examples/ChatApp"],
        "docs/provider.md": ["Tests/Conformance/Strangers/ChatBackEnd"],
        "docs/simulator/swift.md": ["Examples/Providers/swift"],
        "docs/testing-your-extension.md": ["Examples/AppTeam"],
        "docs/unmodified.md": ["Examples/AppTeam"],
    ]

    @Test func `every piece of Swift in a document stands, byte for byte, in code that is compiled and run`() throws {
        for (page, folders) in Self.swiftPages {
            let files = try folders.flatMap { try Checkout.files(under: $0, ending: ".swift") }
            #expect(!files.isEmpty)
            let document = try Checkout.file(page)
            #expect(SnippetRules.blockCount(in: document, language: "swift") > 0)
            report(SnippetRules.check(document, in: files))
        }
    }

    @Test func `there is no document with Swift that the rule does not know`() throws {
        let documents =
            try Checkout.files(under: "docs", ending: ".md") + Checkout.files(under: "Examples", ending: ".md")
            + ["README.md", "CONTRIBUTING.md", "SECURITY.md", "keys-example/README.md"].map(Checkout.file)
        let pages = documents.filter { SnippetRules.blockCount(in: $0, language: "swift") > 0 }.map(\.path)
        // That page's code is run by the package outside the project that it is about.
        let known = pages.filter { $0 != "docs/sealing.md" && !$0.hasPrefix(Self.catalog + "/") }
        #expect(known.sorted() == Self.swiftPages.keys.sorted())
    }

    /// The site's own articles.
    static let catalog = "docs/SealedPush.docc"

    @Test func `an article of the site is short, and its Swift is that of a page's example or of a back end`() throws {
        let folders = Set(Self.swiftPages.values.joined()).union(["Examples/BackEnd"])
        let files = try folders.flatMap { try Checkout.files(under: $0, ending: ".swift") }
        let articles = try Checkout.files(under: Self.catalog, ending: ".md")
        #expect(articles.count { SnippetRules.blockCount(in: $0, language: "swift") > 0 } >= 5)
        report(articles.flatMap { SnippetRules.check($0, in: files) })
        for article in articles {
            #expect(article.text.split(whereSeparator: \.isWhitespace).count <= 250, "\(article.path)")
        }
    }

    /// The page, its name for the language, and the program that Examples/Providers/test runs.
    static let providerPages = [
        ("curl", "bash", "curl/push"), ("python", "python", "python/push.py"), ("node", "js", "node/push.mjs"),
        ("go", "go", "go/push.go"), ("java", "java", "java/Push.java"),
        ("swift", "swift", "swift/Sources/Push/Push.swift"),
    ]

    @Test(arguments: providerPages)
    func `every piece of code in a page for providers is run against the simulator`(
        _ page: String,
        _ language: String,
        _ program: String
    ) throws {
        let document = try Checkout.file("docs/simulator/\(page).md")
        #expect(SnippetRules.blockCount(in: document, language: language) > 0)
        report(
            SnippetRules.check(document, in: [try Checkout.file("Examples/Providers/\(program)")], language: language)
        )
    }

    @Test func `there is no page for providers that the rule does not know`() throws {
        let pages = try Checkout.names(under: "docs/simulator", ending: ".md")
        #expect(pages == Self.providerPages.map { "\($0.0).md" }.sorted())
    }

    private func report(_ findings: [Finding], _ location: SourceLocation = #_sourceLocation) {
        for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
    }
}
