// swift-tools-version: 6.2
import PackageDescription

/// The device's modules as Apple's platforms compile them, against declarations of Apple's frameworks: Sources' stand-ins,
/// and of Darwin's C library and Foundation those here. A package of its own, so that a build of the project never
/// sees the define.
///
/// As in Fuzz, symbolic links bring the folders here.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .define("SEALEDPUSH_APPLE_STANDINS"),
]

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, exclude: ["README.md"], swiftSettings: house)
}

func standIn(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: "StandIns/" + name, swiftSettings: house)
}

func tests(
    _ name: String,
    _ dependencies: Target.Dependency...,
    vectors: Bool = false,
    exclude: [String] = [],
    folder: String = "Unit"
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"],
        path: "Tests/" + folder + "/" + name,
        exclude: exclude,
        resources: vectors ? [.copy("Vectors")] : [],
        swiftSettings: house
    )
}

let package = Package(
    name: "sealed-push",
    targets: [
        // Apple's.
        .target(name: "CDarwinStandIn", path: "StandIns/CDarwinStandIn"),
        standIn("DarwinStandIn", "CDarwinStandIn", "CExtendedAttributes"),
        module("AppleFoundation", "Platform"),
        module("CryptoKit", "CSodium", "COpenSSL"),
        module("Security", "AppleFoundation", "Platform"),
        module("UserNotifications", "AppleFoundation", "Platform"),
        module("Intents", "UserNotifications"),
        .target(name: "COS"),
        module("os", "COS", "Platform"),
        module("PushKit", "Platform"),
        module("CallKit", "Platform"),

        // Ours: what the project's manifest says of Linux alone is not here.
        module("Envelope"),
        module("Platform", "CExtendedAttributes", "DarwinStandIn"),
        module("Localization", "Platform"),
        module("Primitives", "CryptoKit", "Platform"),
        module("AttachmentStream", "Envelope", "Platform", "Primitives"),
        module("HPKE", "Primitives"),
        module("Keys", "Envelope", "Platform", "Primitives", "Security"),
        module("Sealing", "Envelope", "Platform", "Primitives", "HPKE", "Keys"),
        module("WebPush", "Envelope", "Primitives", "Keys"),
        module("Opening", "Envelope", "Platform", "Primitives", "HPKE", "Keys", "WebPush"),
        module(
            "NotificationCore",
            "AppleFoundation",
            "Envelope",
            "Platform",
            "Localization",
            "Primitives",
            "Keys",
            "WebPush",
            "Opening",
            "AttachmentStream"
        ),
        module("RelayClient", "AppleFoundation", "Envelope", "Keys", "NotificationCore", "Platform", "Primitives"),
        module("NotificationServiceExtension", "Intents", "NotificationCore", "RelayClient", "UserNotifications", "os"),
        module("IncomingCalls", "CallKit", "NotificationCore", "PushKit"),
        .target(name: "CExtendedAttributes"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),

        // The suites.
        .target(
            name: "TestSupport",
            dependencies: ["Platform", "Primitives"],
            path: "Tests/Support/TestSupport",
            swiftSettings: house
        ),
        tests("PrimitivesTests", "Primitives", vectors: true),
        tests("AttachmentStreamTests", "AttachmentStream", "Envelope", "Primitives", vectors: true),
        tests("HPKETests", "HPKE", "Primitives", vectors: true),
        tests("KeysTests", "Keys", "Sealing", "Opening", "Envelope", "Platform", "Primitives"),
        tests(
            "KeychainTests",
            "Envelope",
            "Keys",
            "Opening",
            "Platform",
            "Primitives",
            "Sealing",
            "Security",
            exclude: ["KeychainSecretStore.swift", "SenderIdentity+Keychain.swift"]
        ),
        tests("SealingAndOpeningTests", "Sealing", "Opening", "Keys", "Envelope", "Platform", "Primitives", "HPKE"),
        tests("KeyRingTests", "Opening", "Keys", "Envelope", "Platform", "Primitives"),
        tests("WebPushTests", "WebPush", "Envelope", "Platform", "Primitives", "Keys", vectors: true),
        tests(
            "NotificationCoreTests",
            "NotificationCore",
            "Envelope",
            "Keys",
            "Opening",
            "Platform",
            "Primitives",
            "Sealing",
            "WebPush"
        ),
        .target(
            name: "VectorKit",
            dependencies: [
                "AttachmentStream", "Envelope", "Primitives", "HPKE", "Keys", "Sealing", "WebPush", "Opening",
                "NotificationCore", "Platform", "TestSupport",
            ],
            path: "Tests/Conformance/VectorKit",
            swiftSettings: house
        ),
        tests("VectorTests", "VectorKit", "Opening", folder: "Conformance"),
    ]
)
