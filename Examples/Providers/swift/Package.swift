// swift-tools-version: 6.2
import PackageDescription

// A back end's own package.
let package = Package(
  name: "Push",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Yours is .package(url: "https://…/sealed-push.git", from: "…").
    .package(name: "sealed-push", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "Push",
      dependencies: [.product(name: "APNSProvider", package: "sealed-push")]
    )
  ]
)
