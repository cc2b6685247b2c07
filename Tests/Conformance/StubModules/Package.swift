// swift-tools-version: 6.2
import PackageDescription

/// A stranger's package for Linux; its build finds modules by the names of Apple's.
let package = Package(
    name: "StubModules",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sealed-push", path: "../../..")],
    targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "Sealing", package: "sealed-push")])
    ]
)
