// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target of ours builds this way: a warning is an error and `unsafe` is always spelled out.
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

/// A file as an app developer has it: Swift 5 mode, no settings and no access of ours.
func stranger(_ name: String, path: String) -> Target {
    .target(
        name: name,
        dependencies: ["UserNotifications"],
        path: path,
        packageAccess: false,
        swiftSettings: [.swiftLanguageMode(.v5)]
    )
}

func tests(_ name: String, _ dependencies: Target.Dependency..., vectors: Bool = false) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"],
        resources: vectors ? [.copy("Vectors")] : [],
        swiftSettings: house
    )
}

func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "sealed-push",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [],
    targets: [
        // The message: its bytes, then its keys.
        module("Envelope"),
        module("Primitives", "CSodium"),
        module("HPKE", "Primitives"),
        module("Keys", "Envelope", "Primitives"),
        module("Sealing", "Envelope", "Primitives", "HPKE", "Keys"),
        module("Opening", "Envelope", "Primitives", "HPKE", "Keys"),

        // The device.
        module("NotificationCore", "Envelope", "Keys", "Opening"),

        // The C libraries.
        library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),

        // The suites.
        .target(name: "TestSupport", dependencies: ["Primitives"], path: "Tests/TestSupport", swiftSettings: house),
        tests("EnvelopeTests", "Envelope"),
        tests("PrimitivesTests", "Primitives", vectors: true),
        tests("HPKETests", "HPKE", "Primitives", vectors: true),
        tests("KeysTests", "Keys", "Sealing", "Opening", "Envelope", "Primitives"),
        tests("SealingAndOpeningTests", "Sealing", "Opening", "Keys", "Envelope", "Primitives", "HPKE"),
        tests("HouseTests"),
    ]
)

#if os(Linux)
// The device as iOS would run it. On Apple platforms the real framework is used, and a target of that name would shadow
// it: it is not in the package at all there.
package.targets += [
    module("UserNotifications"),
    module("NotificationServiceExtension", "NotificationCore", "UserNotifications"),
    module("ExtensionHarness", "UserNotifications"),

    // The command line.
    .executableTarget(
        name: "sealedpush",
        dependencies: [
            "Envelope", "Primitives", "Keys", "Sealing", "Opening",
        ],
        swiftSettings: house
    ),

    // The suites.
    stranger("XcodeTemplateExtension", path: "Tests/Strangers/XcodeTemplate"),
    stranger("ShippingStyleExtension", path: "Tests/Strangers/ShippingStyle"),
    tests("UserNotificationsTests", "UserNotifications"),
    tests(
        "ExtensionHarnessTests",
        "ExtensionHarness",
        "UserNotifications",
        "XcodeTemplateExtension",
        "ShippingStyleExtension"
    ),
]
#endif
