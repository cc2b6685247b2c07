// swift-tools-version: 6.2
import PackageDescription

/// A stranger's package for Linux, with modules of its own by the names of Apple's.
let package = Package(
    name: "StubModules",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sealed-push", path: "../../..")],
    targets: [
        .target(name: "CryptoKit"),
        .target(name: "Intents"),
        .executableTarget(
            name: "App",
            dependencies: ["CryptoKit", "Intents", .product(name: "Sealing", package: "sealed-push")]
        ),
    ]
)
