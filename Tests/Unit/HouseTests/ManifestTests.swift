import Testing

struct ManifestTests {
    private static let text = """
        let house: [SwiftSetting] = [.strictMemorySafety()]

        func module(_ name: String) -> Target { .target(name: name, swiftSettings: house) }

        let package = Package(
            name: "sealed-push",
            platforms: [.macOS(.v15), .iOS(.v18)],
            products: [.library(name: "NotificationCore", targets: ["NotificationCore"])],
            targets: [
                // module("Commented", "Opening"),
                module("Envelope"),
                module("Keys", "Envelope", onLinux: ["CSodium"]),
                library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
                .target(name: "TestSupport", dependencies: ["Keys"], path: "Tests/TestSupport", swiftSettings: house),
                tests("KeysTests", "Keys", vectors: true),
            ]
        )

        #if os(Linux)
        package.targets += [
            .executableTarget(
                name: "sealedpush",
                dependencies: [
                    "Envelope", "Keys",
                ],
                swiftSettings: house
            ),
            .target(name: "CLinux"),
            .executableTarget(name: "Probe", dependencies: ["Keys"], path: "Tests/Probe", swiftSettings: house),
            stranger("XcodeTemplate", path: "Tests/Strangers/XcodeTemplate"),
            tests("FarTests", "Keys", folder: "Far"),
        ]
        #endif
        """

    @Test func `every target is read with its kind, dependencies of one platform too, place and line`() throws {
        let manifest = try Manifest(file(Self.text))
        #expect(
            manifest.targets == [
                target("Envelope", .module, [], "Sources/Envelope", 11),
                target("Keys", .module, ["Envelope", "CSodium"], "Sources/Keys", 12),
                target("CSodium", .library, [], "Sources/CSodium", 13),
                target("TestSupport", .testSupport, ["Keys"], "Tests/TestSupport", 14),
                target("KeysTests", .tests, ["Keys", "TestSupport"], "Tests/Unit/KeysTests", 15),
                target("sealedpush", .executable, ["Envelope", "Keys"], "Sources/sealedpush", 21),
                target("CLinux", .c, [], "Sources/CLinux", 28),
                target("Probe", .testSupport, ["Keys"], "Tests/Probe", 29),
                target("XcodeTemplate", .stranger, [], "Tests/Strangers/XcodeTemplate", 30),
                target("FarTests", .tests, ["Keys", "TestSupport"], "Tests/Far/FarTests", 31),
            ]
        )
    }

    @Test func `what a target reaches is followed through all of them`() throws {
        let manifest = try Manifest(file(Self.text))
        #expect(manifest.reachable(from: "sealedpush") == ["Envelope", "Keys", "CSodium"])
        #expect(manifest.reachable(from: "Envelope") == [])
    }

    @Test(arguments: [
        #"module("Keys", .target(name: "Opening"))"#,
        #"module("Keys", .product(name: "NIO", package: "swift-nio"))"#,
        #"module("Keys", opening)"#,
        #"module("Keys", "Open" + "ing")"#,
        #"module(name)"#,
        #"module("Ke\u{79}s")"#,
        #"module("Keys"#,
        #".target(name: "Keys", dependencies: [.target(name: "Opening")], swiftSettings: house)"#,
        #".target(name: "Keys", dependencies: keys, swiftSettings: house)"#,
        #".target(name: "Keys", dependencies: ["A"] + more, swiftSettings: house)"#,
        #".target(name: "Keys", swiftSettings: house)"#,
        #".executableTarget(name: "Keys", dependencies: ["Opening"])"#,
        #".executableTarget(name: "Keys", swiftSettings: lax)"#,
        #".testTarget(name: "KeysTests")"#,
        #".plugin(name: "Keys")"#,
        #".package(url: "https://example.com")"#,
        #"moduleIf(os, "Keys", "Opening")"#,
        #"module("Envelope")"# + ",\n" + #"module("Envelope")"#,
    ])
    func `a target that hides what it depends on, or its settings, is an error`(_ line: String) {
        let text = "let package = Package(\nname: \"x\",\ntargets: [\n\(line)\n])"
        let error = #expect(throws: Finding.self) { try Manifest(file(text)) }
        // The line of the fault, or the end where a call never ends.
        #expect(error.map { (4...5).contains($0.line) } == true)
    }

    @Test func `a file without a package is an error`() {
        #expect(throws: Finding.self) { try Manifest(file("let x = 1\n")) }
    }

    private func file(_ text: String) -> TextFile { TextFile(path: "Package.swift", text: text) }

    private func target(
        _ name: String,
        _ kind: Manifest.Target.Kind,
        _ dependencies: [String],
        _ path: String,
        _ line: Int
    ) -> Manifest.Target {
        Manifest.Target(name: name, kind: kind, dependencies: dependencies, path: path, line: line)
    }
}
