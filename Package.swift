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

func tests(_ name: String, _ dependencies: Target.Dependency..., vectors: Bool = false) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"],
        resources: vectors ? [.copy("Vectors")] : [],
        swiftSettings: house
    )
}

/// A C library of the system. The package's name is what `apt` and `pkg-config` call it.
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
        module("Primitives", "CSodium", "COpenSSL"),
        module("HPKE", "Primitives"),

        // The C libraries.
        library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),

        // The suites.
        .target(name: "TestSupport", dependencies: ["Primitives"], path: "Tests/TestSupport", swiftSettings: house),
        tests("EnvelopeTests", "Envelope"),
        tests("PrimitivesTests", "Primitives", vectors: true),
        tests("HPKETests", "HPKE", "Primitives", vectors: true),
    ]
)

#if os(Linux)
// The servers, and what stands in for Apple and for a device.
package.targets += [
    // Bytes on the way: TLS, HTTP/2 and the event loop that moves them.
    module("Transport", "CLinux", "CNGHTTP2", "COpenSSL"),
    tests("TransportTests", "TestCertificates", "Transport"),

    // What the servers need of C.
    .target(name: "CLinux"),
    library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),

    // Certificates made on the spot, so that no test has one that expires.
    .target(
        name: "TestCertificates",
        dependencies: ["COpenSSL"],
        path: "Tests/TestCertificates",
        swiftSettings: house
    ),

    // Apple's side, and the way there.
    module("APNS"),
    tests("APNSTests", "APNS"),
    module("DeviceLink", "APNS", "Transport"),
    tests("DeviceLinkTests", "APNS", "DeviceLink"),
    module("APNSProvider", "APNS", "Envelope", "Primitives", "Transport"),
    tests("APNSProviderTests", "APNS", "APNSProvider", "Envelope", "Primitives", "Transport"),
    module("APNSSimulator", "APNS", "DeviceLink", "Envelope", "Primitives", "Transport"),
    tests(
        "APNSSimulatorTests",
        "APNS",
        "APNSProvider",
        "APNSSimulator",
        "DeviceLink",
        "Envelope",
        "Primitives",
        "TestCertificates",
        "Transport"
    ),
]
#endif
