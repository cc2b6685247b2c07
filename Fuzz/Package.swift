// swift-tools-version: 6.2
import PackageDescription

/// The fuzz targets: a package of their own, so that a build of the project never sees them.
///
/// A symbolic link brings the product's folders into this package: it can fuzz their `package` code and, with
/// `@testable`, their internal code, and nothing has to be made public for it.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// With testing enabled: readers of files that only this package writes are internal to their targets.
func module(_ name: String, _ dependencies: Target.Dependency..., pages: String? = nil) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        exclude: ["README.md"],
        resources: pages.map { [.embedInCode($0)] } ?? [],
        swiftSettings: house + [.unsafeFlags(["-enable-testing"])]
    )
}

/// libFuzzer brings `main`.
func fuzz(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies + ["FuzzSupport"],
        path: "Targets/" + name,
        swiftSettings: house
    )
}

let package = Package(
    name: "sealed-push",
    platforms: [.macOS(.v15)],
    targets: [
        // As in the project's manifest.
        module("Envelope"),
        module("Platform", "CExtendedAttributes"),
        module("Localization", "Platform"),
        module("Primitives", "Platform", "CSodium", "COpenSSL", "CGMP"),
        module("AttachmentStream", "Envelope", "Platform", "Primitives"),
        module("HPKE", "Primitives"),
        module("Keys", "Envelope", "Platform", "Primitives"),
        module("Sealing", "Envelope", "Platform", "Primitives", "HPKE", "Keys"),
        module("WebPush", "Envelope", "Primitives", "Keys"),
        module("Opening", "Envelope", "Platform", "Primitives", "HPKE", "Keys", "WebPush"),
        module("HTTPSClient", "Platform", "CCurl"),
        module(
            "NotificationCore",
            "Envelope",
            "Platform",
            "Localization",
            "Primitives",
            "Keys",
            "WebPush",
            "Opening",
            "AttachmentStream",
            "HTTPSClient"
        ),
        module("APNS", "Envelope"),
        module("Networking", "Platform", "CLinux", "COpenSSL", "COpenSSLMemory"),
        module("HTTP", "Networking", "Platform", "CNGHTTP2", pages: "Pages/Shared"),
        module("DeviceLink", "APNS", "Networking", "Platform"),
        module("APNSProvider", "APNS", "Envelope", "HTTP", "Networking", "Platform", "Primitives"),
        module("PushStore", "APNS", "CSQLite", "Envelope", "Platform", "Primitives"),
        module("ServiceParts", "CLinux", "Envelope", "Keys", "Platform"),
        module(
            "PushService",
            "APNS",
            "APNSProvider",
            "Envelope",
            "HTTP",
            "HTTPSClient",
            "Keys",
            "Networking",
            "Platform",
            "Primitives",
            "PushStore",
            "ServiceParts",
            pages: "Dashboard/Pages"
        ),
        .target(name: "CExtendedAttributes"),
        .target(name: "CLinux"),
        .target(name: "COpenSSLMemory", dependencies: ["COpenSSL"]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CGMP", pkgConfig: "gmp"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),

        .target(
            name: "FuzzSupport",
            dependencies: ["Primitives"],
            path: "Targets/FuzzSupport",
            swiftSettings: house
        ),
        fuzz("FuzzBase64URL", "Envelope"),
        fuzz("FuzzAttachmentURL", "Envelope"),
        fuzz("FuzzJSON", "Envelope"),
        fuzz("FuzzEnvelope", "Envelope"),
        fuzz("FuzzFrame", "Envelope"),
        fuzz("FuzzBundle", "Envelope", "Primitives", "Keys", "Sealing"),
        fuzz("FuzzMessage", "Envelope", "Primitives", "HPKE", "Keys", "Opening"),
        fuzz("FuzzWebPush", "Envelope", "Primitives", "WebPush"),
        fuzz("FuzzReplayWindow", "Envelope", "Platform", "Primitives", "Keys", "Opening"),
        fuzz("FuzzKeyRingIndex", "Envelope", "Primitives", "Keys", "Opening"),
        fuzz("FuzzContacts", "Keys", "Opening", "Primitives"),
        fuzz("FuzzSpool", "Envelope", "NotificationCore"),
        fuzz("FuzzStrings", "Localization"),
        fuzz("FuzzAttachment", "AttachmentStream", "Envelope", "Primitives"),
        fuzz("FuzzHTTP1", "Networking", "HTTP"),
        fuzz("FuzzHTTP2Frames", "Networking", "HTTP"),
        fuzz("FuzzHTTP2", "Networking", "HTTP"),
        fuzz("FuzzAPI", "APNS", "Envelope", "Keys", "Primitives", "PushService", "PushStore", "ServiceParts"),
        fuzz("FuzzGateway", "Envelope", "Primitives", "PushService"),
        fuzz("FuzzEnrolment", "APNS", "Envelope", "Networking", "Primitives", "PushService"),
        fuzz("FuzzLegacyInterface", "APNS"),
        fuzz("FuzzDeviceLink", "DeviceLink"),
        fuzz("FuzzCertificate", "APNS", "Networking"),
        fuzz("FuzzMedia", "Envelope", "NotificationCore"),
    ]
)
