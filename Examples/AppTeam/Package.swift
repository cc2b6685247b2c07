// swift-tools-version: 6.2
import PackageDescription

// A team's own package: their extensions' files as Xcode compiles them, and tests that run on Linux.
let package = Package(
  name: "AppTeam",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // Yours is .package(url: "https://…/sealed-push.git", from: "…").
    .package(name: "sealed-push", path: "../..")
  ],
  swiftLanguageModes: [.v5]
)

// On a Mac, Xcode builds and runs the extensions themselves. The harness is for Linux.
#if os(Linux)
package.targets = [
  // Has nothing to do with sealed pushes. On Linux the harness brings UserNotifications along.
  .target(
    name: "PhotoExtension",
    dependencies: [.product(name: "ExtensionHarness", package: "sealed-push")]
  ),
  // Opens sealed pushes.
  .target(
    name: "ChatExtension",
    dependencies: [
      .product(name: "ExtensionHarness", package: "sealed-push"),
      .product(name: "NotificationCore", package: "sealed-push"),
      .product(name: "RelayClient", package: "sealed-push"),
      .product(name: "Security", package: "sealed-push"),
      .product(name: "os", package: "sealed-push"),
    ]
  ),
  // Takes calls. On Linux the harness brings PushKit and CallKit along.
  .target(
    name: "ChatCalls",
    dependencies: [
      .product(name: "ExtensionHarness", package: "sealed-push"),
      .product(name: "NotificationCore", package: "sealed-push"),
    ]
  ),
  // Replaces our server, on Linux and in tests only.
  .target(
    name: "PhotoServer",
    dependencies: [.product(name: "ExtensionHarness", package: "sealed-push")]
  ),
  // The process that runs PhotoExtension in the tests of crashes, hangs and memory.
  .executableTarget(
    name: "PhotoExtensionHost",
    dependencies: [
      "PhotoExtension",
      "PhotoServer",
      .product(name: "ExtensionHarness", package: "sealed-push"),
    ]
  ),
  .testTarget(
    name: "AppTeamTests",
    dependencies: [
      "PhotoExtensionHost",
      "PhotoExtension",
      "PhotoServer",
      "ChatExtension",
      "ChatCalls",
      .product(name: "ExtensionHarness", package: "sealed-push"),
      .product(name: "NotificationCore", package: "sealed-push"),
      .product(name: "Sealing", package: "sealed-push"),
    ]
  ),
]
#endif
