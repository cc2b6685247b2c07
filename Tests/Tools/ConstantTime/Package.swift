// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no build of the project needs valgrind. The checked sources are linked in: `package`
// access does not cross packages, and nothing is made public for a check.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "constant-time",
    targets: [
        .target(name: "Platform", dependencies: ["CExtendedAttributes"], exclude: ["README.md"], swiftSettings: house),
        .target(name: "CExtendedAttributes"),
        .target(
            name: "Primitives",
            dependencies: ["Platform", "CSodium", "COpenSSL", "CGMP"],
            exclude: ["README.md"],
            swiftSettings: house
        ),
        .target(name: "HPKE", dependencies: ["Primitives"], exclude: ["README.md"], swiftSettings: house),
        .target(name: "Envelope", exclude: ["README.md"], swiftSettings: house),
        .target(
            name: "Audit",
            dependencies: ["Envelope", "Platform"],
            exclude: ["README.md"],
            swiftSettings: house
        ),
        .target(
            name: "Keys",
            dependencies: ["Envelope", "Platform", "Primitives"],
            exclude: ["README.md"],
            swiftSettings: house
        ),
        .target(
            name: "AttachmentStream",
            dependencies: ["Envelope", "Platform", "Primitives"],
            exclude: ["README.md"],
            swiftSettings: house
        ),
        .target(
            name: "WebPush",
            dependencies: ["Envelope", "Primitives", "Keys"],
            exclude: ["README.md"],
            swiftSettings: house
        ),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CGMP", pkgConfig: "gmp"),
        .systemLibrary(name: "CValgrind"),
        .executableTarget(
            name: "ConstantTime",
            dependencies: [
                "AttachmentStream", "Audit", "COpenSSL", "CSodium", "CValgrind", "Envelope", "HPKE", "Keys",
                "Platform", "Primitives", "WebPush",
            ],
            swiftSettings: house
        ),
    ]
)
