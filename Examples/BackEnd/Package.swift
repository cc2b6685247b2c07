// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "BackEnd",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Yours is .package(url: "https://…/sealed-push.git", from: "…").
    .package(name: "sealed-push", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "BackEnd",
      dependencies: [.product(name: "Sealing", package: "sealed-push")]
    ),
    // Replaces the app.
    .executableTarget(
      name: "Phone",
      dependencies: [.product(name: "NotificationCore", package: "sealed-push")]
    ),
  ]
)
