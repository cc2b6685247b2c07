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
        dependencies: dependencies,
        resources: vectors ? [.copy("Vectors")] : [],
        swiftSettings: house
    )
}

let package = Package(
    name: "sealed-push",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [],
    targets: [
        // The message: its bytes, then its keys.
        module("Envelope"),
        tests("EnvelopeTests", "Envelope"),
    ]
)

#if os(Linux)
// The device as iOS would run it. On Apple platforms the real framework is used, and a target of that name would shadow
// it: it is not in the package at all there.
package.targets += [
    module("UserNotifications"),
    module("ExtensionHarness", "UserNotifications"),
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
