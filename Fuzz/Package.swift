// swift-tools-version: 6.2
import PackageDescription

/// The fuzz targets: a package of their own, so that a build of the project never sees them.
///
/// The product's folders are reached through a symbolic link and belong to this package too: what is `package` in them
/// can be fuzzed, and nothing has to be opened up for it.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

/// libFuzzer brings `main`.
func fuzz(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies + ["FuzzSupport"],
        path: "Targets/\(name)",
        swiftSettings: house
    )
}

let package = Package(
    name: "sealed-push",
    platforms: [.macOS(.v15)],
    targets: [
        // As the project's manifest has them.
        module("Envelope"),
        module("Primitives", "CSodium", "COpenSSL"),
        module("HPKE", "Primitives"),
        module("Keys", "Envelope", "Primitives"),
        module("Sealing", "Envelope", "Primitives", "HPKE", "Keys"),
        module("Opening", "Envelope", "Primitives", "HPKE", "Keys"),
        module("WebPush", "Envelope", "Primitives", "Keys"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),

        .target(
            name: "FuzzSupport",
            dependencies: ["Primitives"],
            path: "Targets/FuzzSupport",
            swiftSettings: house
        ),
        fuzz("FuzzBase64URL", "Envelope"),
        fuzz("FuzzJSON", "Envelope"),
        fuzz("FuzzEnvelope", "Envelope"),
        fuzz("FuzzFrame", "Envelope"),
        fuzz("FuzzBundle", "Envelope", "Primitives", "Keys"),
        fuzz("FuzzMessage", "Envelope", "Primitives", "HPKE", "Keys", "Sealing", "Opening"),
        fuzz("FuzzWebPush", "Envelope", "Primitives", "WebPush"),
    ]
)
