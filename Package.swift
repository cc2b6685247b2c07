// swift-tools-version: 6.2
import PackageDescription

/// Set by scripts/swift: another compiler's new warning must not stop a build of a package that depends on this one.
let isOwnBuild = Context.environment["SEALEDPUSH_OWN_BUILD"] != nil

/// Every Swift target of ours builds this way: a warning is an error and `unsafe` is always spelled out.
let house: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isOwnBuild ? [.treatAllWarnings(as: .error)] : [])

/// `pages` are files in the program: Debian packages have no bundle of resources beside it. `onLinux` is what Apple's platforms have a framework for; `defines` are conditions that a copy of its files lacks.
func module(
    _ name: String,
    _ dependencies: Target.Dependency...,
    onLinux: [String] = [],
    defines: [String] = [],
    pages: String? = nil
) -> Target {
    let conditional = onLinux.map { Target.Dependency.target(name: $0, condition: .when(platforms: [.linux])) }
    return .target(
        name: name,
        dependencies: dependencies + conditional,
        exclude: ["README.md"],
        resources: pages.map { [.embedInCode($0)] } ?? [],
        swiftSettings: house + defines.map { .define($0) }
    )
}

/// Set by scripts/swift where libpq is missing. Nothing else of the package needs it: device, harness and senders are
/// built and tested without it. The file itself is not looked for here, since the package manager keeps a manifest's
/// answer as long as its text and its variables stay the same.
let hasPostgreSQL = Context.environment["SEALEDPUSH_WITHOUT_POSTGRESQL"] == nil
/// Of programs that know both engines.
let houseOfEngines = house + (hasPostgreSQL ? [.define("POSTGRESQL")] : [])

/// Leaves PostgreSQL out of the programs that know both engines.
func dropPostgreSQL(from package: Package) {
    for target in package.targets {
        target.dependencies.removeAll { dependency in
            if case .byNameItem(let name, _) = dependency { name.hasPrefix("PostgreSQL") } else { false }
        }
    }
}

/// Files of the playground, in the program.
let playground: [Resource] = [.embedInCode("Playground/Pages")]

/// A file as an app developer has it: Swift 5 mode, no settings and no access of ours.
func stranger(
    _ name: String,
    _ dependencies: Target.Dependency...,
    path: String,
    excluding: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: excluding,
        packageAccess: false,
        swiftSettings: [.swiftLanguageMode(.v5)]
    )
}

/// `defines` are conditions under which the suite compiles a file of Sources once more, in another setting. Tests/README.md
/// has the folders; in EndToEnd a suite has what an app or a back end has.
func tests(
    _ name: String,
    _ dependencies: Target.Dependency...,
    vectors: Bool = false,
    defines: [String] = [],
    folder: String = "Unit",
    onBothEngines: Bool = false
) -> Target {
    // Suites about stores run on each engine.
    let isAboutServers = onBothEngines && hasPostgreSQL
    let engine: [Target.Dependency] = isAboutServers ? ["PostgreSQL", "PostgreSQLServers", "PostgreSQLStore"] : []
    return .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"] + engine,
        path: "Tests/" + folder + "/" + name,
        resources: vectors ? [.copy("Vectors")] : [],
        packageAccess: folder != "EndToEnd",
        swiftSettings: house + (defines + (isAboutServers ? ["POSTGRESQL"] : [])).map { .define($0) }
    )
}

/// A C library of the system. The package's name is what `apt` and `pkg-config` call it.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "sealed-push",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // What an app and its extension link, and what a back end in Swift seals with; with the modules whose types they
        // name.
        .library(name: "NotificationCore", targets: ["NotificationCore", "Envelope", "Keys", "Opening"]),
        .library(name: "RelayClient", targets: ["RelayClient"]),
        .library(name: "Sealing", targets: ["Sealing", "Envelope", "Keys"]),
        .library(name: "AttachmentStream", targets: ["AttachmentStream", "Envelope"]),
        .library(name: "AttachmentUpload", targets: ["AttachmentUpload", "Envelope"]),
    ],
    targets: [
        // The message: its bytes, then its keys.
        module("Envelope"),
        module("Platform", onLinux: ["CExtendedAttributes"]),
        module("Localization", "Platform"),
        module("Primitives", "Platform", onLinux: ["CSodium", "COpenSSL", "CGMP"]),
        module("AttachmentStream", "Envelope", "Platform", "Primitives"),
        module("HPKE", "Primitives"),
        module("Keys", "Envelope", "Platform", "Primitives"),
        module("Sealing", "Envelope", "Platform", "Primitives", "HPKE", "Keys"),
        module("WebPush", "Envelope", "Primitives", "Keys"),
        module("Opening", "Envelope", "Platform", "Primitives", "HPKE", "Keys", "WebPush"),

        // What goes over the network from back ends and, on Linux, from devices.
        module("HTTPSClient", "Platform", "CCurl"),
        module("AttachmentUpload", "Envelope", "Platform", "HTTPSClient"),

        // The device.
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
            onLinux: ["HTTPSClient"]
        ),

        // The device's way to its relay.
        module(
            "RelayClient",
            "Envelope",
            "Keys",
            "NotificationCore",
            "Primitives",
            onLinux: ["HTTPSClient", "Platform"]
        ),

        // The C libraries.
        library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CGMP", pkgConfig: "gmp", apt: "libgmp-dev"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),

        // The suites.
        .target(
            name: "TestSupport",
            dependencies: ["Platform", "Primitives"],
            path: "Tests/Support/TestSupport",
            swiftSettings: house
        ),
        tests("EnvelopeTests", "Envelope"),
        tests("LocalizationTests", "Localization"),
        tests("PrimitivesTests", "Primitives", "CSodium", vectors: true),
        tests("AttachmentStreamTests", "AttachmentStream", "Envelope", "Primitives", vectors: true),
        tests("HPKETests", "HPKE", "Primitives", vectors: true),
        tests("KeysTests", "Keys", "Sealing", "Opening", "Envelope", "Platform", "Primitives"),
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
        .executableTarget(
            name: "sealedpush-vectors",
            dependencies: [
                "AttachmentStream", "Envelope", "Primitives", "Keys", "Sealing", "Opening", "TestSupport", "VectorKit",
            ],
            path: "Tests/Conformance/VectorTool",
            swiftSettings: house
        ),
        tests("VectorTests", "VectorKit", "Opening", folder: "Conformance"),
        tests("HouseTests"),
    ]
)

#if os(Linux)
package.products += [
    .library(
        name: "ExtensionHarness",
        targets: ["ExtensionHarness", "UserNotifications", "Intents", "PushKit", "CallKit"]
    ),
    .library(name: "CryptoKit", targets: ["CryptoKit"]),
    .library(name: "Security", targets: ["Security"]),
    .library(name: "os", targets: ["os", "OSLog"]),
    .library(name: "PushKit", targets: ["PushKit"]),
    .library(name: "CallKit", targets: ["CallKit"]),
    // What a back end in Swift pushes with; Networking for taking its errors apart.
    .library(name: "APNSProvider", targets: ["APNSProvider", "APNS", "Networking"]),
    .executable(name: "sealedpush", targets: ["sealedpush"]),
    .executable(name: "sealedpush-blobs", targets: ["sealedpush-blobs"]),
    .executable(name: "sealedpushd", targets: ["sealedpushd"]),
    .executable(name: "sealedpush-sidecar", targets: ["sealedpush-sidecar"]),
]
package.targets += [
    // The device as iOS would run it. On Apple platforms the real framework is used, and a target of that name would
    // shadow it: it is not in the package at all there.
    module("AppleFoundation", "Platform"),
    module("UserNotifications", "AppleFoundation", "Platform"),
    module("Intents", "UserNotifications"),
    module("CryptoKit", "COpenSSL", "CSodium"),
    module("Security", "AppleFoundation", "Platform"),
    .target(name: "COS"),
    module("os", "COS", "Platform"),
    module("OSLog", "os"),
    module("PushKit", "Platform"),
    module("CallKit", "Platform"),
    module(
        "NotificationServiceExtension",
        "Intents",
        "NotificationCore",
        "RelayClient",
        "UserNotifications",
        "os",
        defines: ["SEALEDPUSH_PACKAGE"]
    ),
    module("IncomingCalls", "CallKit", "NotificationCore", "PushKit", defines: ["SEALEDPUSH_PACKAGE"]),
    module(
        "ExtensionHarness",
        "AppleFoundation",
        "CLinux",
        "CallKit",
        "Envelope",
        "Localization",
        "Platform",
        "PushKit",
        "UserNotifications"
    ),

    // Apple's side, and the way there. Nothing here may reach Opening or HPKE: it carries, and cannot decrypt.
    module("APNS", "Envelope"),
    module("Networking", "Platform", "CLinux", "COpenSSL", "COpenSSLMemory"),
    module("HTTP", "Networking", "Platform", "CNGHTTP2", pages: "Pages/Shared"),
    module("BlobStore", "Envelope", "HTTP", "Platform", "Primitives"),
    module("DeviceLink", "APNS", "Networking", "Platform"),
    module("APNSProvider", "APNS", "Envelope", "HTTP", "Networking", "Platform", "Primitives"),
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
    module("APNSSimulator", "APNS", "DeviceLink", "Envelope", "HTTP", "Networking", "Platform", "Primitives"),
    module("PushStore", "APNS", "CSQLite", "Envelope", "Platform", "Primitives"),

    // Parts that the command lines share, and the start of child processes, a relay with its keys among them.
    module("CommandLineTool", "APNS", "CLinux", "Keys", "Networking", "Platform", "Primitives", "ServiceParts"),
    module("ChildProcesses", "CLinux", "CommandLineTool", "Envelope", "HTTPSClient", "Keys", "Platform", "Primitives"),

    // Looks for canaries in what parties hold. Files and memory: no part of the project but their formats.
    module("Audit", "Envelope", "Platform"),

    // The command line of senders, devices and testers.
    .executableTarget(
        name: "sealedpush",
        dependencies: [
            "AttachmentStream", "AttachmentUpload", "Envelope", "Platform", "Primitives", "Keys", "Sealing", "Opening",
            "WebPush", "NotificationCore", "RelayClient", "UserNotifications", "NotificationServiceExtension",
            "ExtensionHarness", "IncomingCalls",
            "APNS",
            "Networking", "HTTP", "DeviceLink", "APNSProvider", "APNSSimulator", "HTTPSClient",
            "Audit", "CLinux", "CommandLineTool", "ChildProcesses",
        ],
        exclude: ["README.md"],
        resources: playground,
        swiftSettings: house
    ),

    // The host that attachments are fetched from. Like the push service it links nothing that opens one.
    .executableTarget(
        name: "sealedpush-blobs",
        dependencies: ["BlobStore", "CommandLineTool", "Envelope", "HTTP", "Keys", "Networking", "Primitives"],
        exclude: ["README.md"],
        swiftSettings: house
    ),

    // The push service. It links nothing that opens a message: a test reads the symbols of what was linked.
    .executableTarget(
        name: "sealedpushd",
        dependencies: [
            "APNS", "CommandLineTool", "Envelope", "Keys", "Networking", "Platform", "PostgreSQL", "PostgreSQLStore",
            "Primitives", "PushService", "PushStore", "ServiceParts",
        ],
        exclude: ["README.md"],
        swiftSettings: houseOfEngines
    ),

    // The back end's machine: seals for it, in any language. It links Sealing, and nothing that opens a message.
    module(
        "Sidecar",
        "AttachmentStream",
        "AttachmentUpload",
        "Envelope",
        "HTTP",
        "HTTPSClient",
        "Keys",
        "Networking",
        "Platform",
        "Primitives",
        "PushStore",
        "Sealing",
        "ServiceParts"
    ),
    .executableTarget(
        name: "sealedpush-sidecar",
        dependencies: [
            "CommandLineTool", "Envelope", "Keys", "Networking", "Platform", "Primitives", "ServiceParts", "Sidecar",
        ],
        exclude: ["README.md"],
        swiftSettings: house
    ),

    // Measurement, no part of what is shipped: what the cryptography costs beside the bare primitives, the extension beside one
    // that does nothing, sending, and the relay; what the extension and the provider do under random mishaps. It calls
    // libsodium and OpenSSL itself: through Primitives it would compare us with ourselves.
    .target(
        name: "Bench",
        dependencies: [
            "Envelope", "Platform", "Primitives", "HPKE", "Keys", "Sealing", "Opening", "NotificationCore",
            "UserNotifications", "NotificationServiceExtension", "ExtensionHarness", "AttachmentStream", "APNS",
            "Networking", "HTTP", "APNSProvider", "APNSSimulator", "PushStore", "CSodium", "COpenSSL",
        ],
        path: "Benchmarks/Bench",
        exclude: ["README.md"],
        swiftSettings: house
    ),
    .executableTarget(
        name: "sealedpush-bench",
        dependencies: [
            "APNS", "APNSProvider", "Bench", "CLinux", "ChildProcesses", "CommandLineTool", "Envelope",
            "ExtensionHarness", "HTTPSClient", "Keys", "Networking", "NotificationServiceExtension", "Platform",
            "PostgreSQL", "PostgreSQLStore", "Primitives", "PushStore",
        ],
        path: "Benchmarks/sealedpush-bench",
        exclude: ["README.md"],
        swiftSettings: houseOfEngines
    ),

    // What Glibc's module lacks, twice; the HTTP/2 library, and the HTTP/1.1 server, whose headers Swift must not see.
    .target(name: "CLinux"),
    // Clears what OpenSSL frees.
    .target(name: "COpenSSLMemory", dependencies: ["COpenSSL"]),
    .target(name: "CExtendedAttributes"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),

    // The suites.
    .executableTarget(
        name: "ReplayWindowProbe",
        dependencies: ["Envelope", "Keys", "Opening", "Platform", "Primitives", "TestSupport"],
        path: "Tests/Tools/ReplayWindowProbe",
        swiftSettings: house
    ),
    tests(
        "PromiseModelTests",
        "CDiskSteps",
        "NotificationCore",
        "Envelope",
        "Keys",
        "Opening",
        "Platform",
        "Primitives",
        "Sealing"
    ),
    tests("ReplayWindowTests", "Opening", "ReplayWindowProbe", "Keys", "Envelope", "Platform", "Primitives", "Sealing"),
    stranger("XcodeTemplateExtension", "UserNotifications", path: "Tests/Conformance/Strangers/XcodeTemplate"),
    stranger(
        "ShippingStyleExtension",
        "Intents",
        "UserNotifications",
        path: "Tests/Conformance/Strangers/ShippingStyle"
    ),
    // In the styles of messengers.
    stranger("SignalStyle", "Intents", "UserNotifications", "os", path: "Tests/Conformance/Strangers/SignalStyle"),
    stranger(
        "ElementXStyle",
        "Intents",
        "OSLog",
        "UserNotifications",
        path: "Tests/Conformance/Strangers/ElementXStyle"
    ),
    stranger("SessionStyle", "UserNotifications", "os", path: "Tests/Conformance/Strangers/SessionStyle"),
    stranger("MastodonStyle", "UserNotifications", path: "Tests/Conformance/Strangers/MastodonStyle"),
    stranger(
        "HomeAssistantStyle",
        "OSLog",
        "UserNotifications",
        path: "Tests/Conformance/Strangers/HomeAssistantStyle"
    ),
    .target(
        name: "MessengerStyles",
        dependencies: [
            "ElementXStyle", "HomeAssistantStyle", "MastodonStyle", "SessionStyle", "SignalStyle", "UserNotifications",
        ],
        path: "Tests/Support/MessengerStyles",
        swiftSettings: house
    ),
    .executableTarget(
        name: "MessengerExtensionHost",
        dependencies: ["ExtensionHarness", "MessengerStyles"],
        path: "Tests/Support/MessengerExtensionHost",
        swiftSettings: house
    ),
    tests(
        "MessengerExtensionTests",
        "ExtensionHarness",
        "MessengerExtensionHost",
        "MessengerStyles",
        "UserNotifications"
    ),
    stranger("ChatBackEnd", "APNS", "APNSProvider", path: "Tests/Conformance/Strangers/ChatBackEnd"),
    stranger(
        "UploadingBackEnd",
        "AttachmentStream",
        "AttachmentUpload",
        "Envelope",
        path: "Tests/Conformance/Strangers/UploadingBackEnd"
    ),
    stranger("KeychainStyleHelper", "Security", "os", path: "Tests/Conformance/Strangers/KeychainStyle"),
    // What documents show: an app's sources as far as Linux compiles them, and tests that have the public interface alone.
    stranger(
        "ChatAppCode",
        "Envelope",
        "Keys",
        "NotificationCore",
        "Opening",
        "RelayClient",
        path: "Examples/ChatApp/ChatApp",
        excluding: ["ChatApp.entitlements", "ChatApp.swift", "ChatCalls.swift", "Info.plist"]
    ),
    .executableTarget(
        name: "ChatExtensionHost",
        dependencies: ["ExtensionHarness", "NotificationServiceExtension"],
        path: "Tests/EndToEnd/ChatExtensionHost",
        swiftSettings: house
    ),
    tests(
        "DocumentedCodeTests",
        "ChatAppCode",
        "ChatExtensionHost",
        "Envelope",
        "ExtensionHarness",
        "Keys",
        "NotificationCore",
        "NotificationServiceExtension",
        "Opening",
        "Sealing",
        folder: "EndToEnd"
    ),
    // Each promise from the sender's hand to the receipt: processes, sockets, and the public interface alone.
    .target(
        name: "EndToEndStage",
        dependencies: [
            "Envelope", "HTTPSClient", "Keys", "Platform", "Primitives", "TestCertificates", "TestSupport",
            "TestWebServer",
        ],
        path: "Tests/EndToEnd/EndToEndStage",
        swiftSettings: house
    ),
    .executableTarget(
        name: "EndToEndExtension",
        dependencies: ["ExtensionHarness", "NotificationCore", "RelayClient", "UserNotifications"],
        path: "Tests/EndToEnd/EndToEndExtension",
        packageAccess: false,
        swiftSettings: house
    ),
    tests(
        "EndToEndTests",
        "AttachmentUpload",
        "ChatAppCode",
        "EndToEndExtension",
        "EndToEndStage",
        "Envelope",
        "Keys",
        "NotificationCore",
        "Opening",
        "RelayClient",
        "Sealing",
        "UploadingBackEnd",
        "sealedpush",
        "sealedpush-blobs",
        "sealedpushd",
        folder: "EndToEnd"
    ),
    tests("AppleFoundationTests", "AppleFoundation", "Platform"),
    tests("UserNotificationsTests", "UserNotifications"),
    tests("SecurityTests", "KeychainStyleHelper", "Platform", "Security"),
    tests("OSLogTests", "OSLog", "os"),
    tests("CryptoKitTests", "CryptoKit", "HPKE", "Platform", "Primitives"),
    tests(
        "KeychainTests",
        "Envelope",
        "Keys",
        "Opening",
        "Platform",
        "Primitives",
        "Sealing",
        "Security",
        defines: ["KEYCHAIN_STAND_IN"]
    ),
    .executableTarget(
        name: "PlaceholderExtensionHost",
        dependencies: [
            "ExtensionHarness", "NotificationCore", "NotificationServiceExtension", "Opening", "UserNotifications",
        ],
        path: "Tests/Support/PlaceholderExtensionHost",
        swiftSettings: house
    ),
    tests(
        "NotificationServiceExtensionTests",
        "Intents",
        "PlaceholderExtensionHost",
        "NotificationServiceExtension",
        "NotificationCore",
        "UserNotifications",
        "ExtensionHarness",
        "Bench",
        "Envelope",
        "Keys",
        "Opening"
    ),
    // All files that documents tell an app to copy, in one target of an app's own.
    stranger(
        "CopiedFiles",
        "CallKit",
        "Envelope",
        "ExtensionHarness",
        "Intents",
        "Keys",
        "NotificationCore",
        "Opening",
        "PushKit",
        "RelayClient",
        "Sealing",
        "Security",
        "UserNotifications",
        "os",
        path: "Tests/Conformance/Strangers/CopiedFiles"
    ),
    stranger("CallKitStyle", "CallKit", "PushKit", path: "Tests/Conformance/Strangers/CallKitStyle"),
    tests(
        "IncomingCallsTests",
        "CallKit",
        "CallKitStyle",
        "Envelope",
        "ExtensionHarness",
        "HPKE",
        "IncomingCalls",
        "Keys",
        "NotificationCore",
        "Opening",
        "Platform",
        "Primitives",
        "PushKit",
        "Sealing"
    ),
    .executableTarget(
        name: "BrokenExtensions",
        dependencies: ["ExtensionHarness", "Platform", "UserNotifications"],
        path: "Tests/Support/BrokenExtensions",
        swiftSettings: house
    ),
    tests(
        "ExtensionHarnessTests",
        "BrokenExtensions",
        "ExtensionHarness",
        "os",
        "Platform",
        "UserNotifications",
        "XcodeTemplateExtension",
        "ShippingStyleExtension"
    ),
    .target(
        name: "TestCertificates",
        dependencies: ["COpenSSL"],
        path: "Tests/Support/TestCertificates",
        swiftSettings: house
    ),
    .target(
        name: "TestWebServer",
        dependencies: ["Networking", "Platform", "TestCertificates", "TestSupport"],
        path: "Tests/Support/TestWebServer",
        swiftSettings: house
    ),
    tests(
        "RelayClientTests",
        "Envelope",
        "Keys",
        "NotificationCore",
        "Opening",
        "Platform",
        "RelayClient",
        "TestCertificates",
        "TestWebServer"
    ),
    tests("HTTPSClientTests", "HTTPSClient", "Platform", "TestCertificates", "TestWebServer"),
    tests(
        "AttachmentFetchTests",
        "AttachmentStream",
        "Envelope",
        "ExtensionHarness",
        "Keys",
        "NotificationCore",
        "Opening",
        "Platform",
        "Primitives",
        "Sealing",
        "TestCertificates",
        "TestWebServer"
    ),
    tests("AuditTests", "Audit", "Envelope", "Platform"),
    tests("APNSTests", "APNS", "Envelope"),
    tests("NetworkingAndHTTPTests", "Bench", "HTTP", "Networking", "Platform", "TestCertificates"),
    .target(
        name: "BlobStorePattern",
        dependencies: ["BlobStore"],
        path: "Tests/Support/BlobStorePattern",
        swiftSettings: house
    ),
    .executableTarget(
        name: "BlobStoreProbe",
        dependencies: ["BlobStore", "BlobStorePattern", "TestSupport"],
        path: "Tests/Tools/BlobStoreProbe",
        swiftSettings: house
    ),
    tests(
        "AttachmentUploadTests",
        "AttachmentUpload",
        "BlobStore",
        "Envelope",
        "HTTP",
        "Networking",
        "Platform",
        "Primitives",
        "TestCertificates"
    ),
    tests(
        "BlobStoreTests",
        "BlobStore",
        "BlobStorePattern",
        "BlobStoreProbe",
        "Envelope",
        "HTTP",
        "Networking",
        "Platform",
        "Primitives",
        "TestCertificates"
    ),
    // Each change of a file that a thread makes, reported to a test.
    .target(name: "CDiskSteps", path: "Tests/Support/CDiskSteps"),
    // A disk that fills up, fails or loses what was not synced, as a file system of SQLite's.
    .target(name: "CStoreFaults", dependencies: ["CSQLite"], path: "Tests/Support/CStoreFaults"),
    .target(
        name: "PushStorePattern",
        dependencies: ["APNS", "Envelope", "Keys", "Platform", "Primitives", "PushStore", "TestSupport"],
        path: "Tests/Support/PushStorePattern",
        swiftSettings: house
    ),
    .executableTarget(
        name: "PushStoreProbe",
        dependencies: ["APNS", "Envelope", "Platform", "Primitives", "PushStore", "PushStorePattern", "TestSupport"],
        path: "Tests/Tools/PushStoreProbe",
        swiftSettings: house
    ),
    tests(
        "PushStoreTests",
        "APNS",
        "CSQLite",
        "CStoreFaults",
        "Envelope",
        "Platform",
        "Primitives",
        "PushStore",
        "PushStorePattern",
        "PushStoreProbe",
        onBothEngines: true
    ),
    tests("ShardTests", "APNS", "Envelope", "Platform", "PushStore", "PushStorePattern", onBothEngines: true),
    tests("DeviceLinkTests", "APNS", "DeviceLink"),
    tests(
        "APNSProviderTests",
        "APNS",
        "APNSProvider",
        "ChatBackEnd",
        "Envelope",
        "HTTP",
        "Networking",
        "Platform",
        "Primitives",
        "TestCertificates"
    ),
    tests(
        "PushServiceTests",
        "APNS",
        "APNSProvider",
        "APNSSimulator",
        "CStoreFaults",
        "EndToEndStage",
        "Envelope",
        "HTTP",
        "HTTPSClient",
        "Keys",
        "Networking",
        "Opening",
        "Platform",
        "Primitives",
        "PushService",
        "PushStore",
        "PushStorePattern",
        "Sealing",
        "ServiceParts",
        "TestCertificates",
        "TestWebServer",
        vectors: true
    ),
    tests(
        "SidecarTests",
        "ChatAppCode",
        "EndToEndStage",
        "Envelope",
        "Keys",
        "Platform",
        "Primitives",
        "PushStore",
        "Sealing",
        "ServiceParts",
        "Sidecar",
        "sealedpush",
        "sealedpush-blobs",
        "sealedpush-sidecar",
        "sealedpushd"
    ),
    tests(
        "sealedpushdTests",
        "sealedpush",
        "sealedpush-bench",
        "sealedpush-blobs",
        "sealedpush-sidecar",
        "sealedpushd",
        "APNS",
        "APNSSimulator",
        "CommandLineTool",
        "Envelope",
        "HTTP",
        "Keys",
        "Networking",
        "Platform",
        "Primitives",
        "PushService",
        "PushStore",
        "PushStorePattern",
        "ServiceParts",
        "TestCertificates",
        "TestWebServer",
        onBothEngines: true
    ),
    tests(
        "APNSSimulatorTests",
        "APNS",
        "APNSProvider",
        "APNSSimulator",
        "Bench",
        "DeviceLink",
        "Envelope",
        "HTTP",
        "Networking",
        "Platform",
        "Primitives",
        "TestCertificates"
    ),
    tests("BenchTests", "Bench", "Envelope", "Networking", "PushStore"),
    tests(
        "CommandLineTests",
        "Audit",
        "CSQLite",
        "sealedpush",
        "sealedpush-bench",
        "sealedpush-blobs",
        "sealedpush-sidecar",
        "sealedpushd",
        "Envelope",
        "HPKE",
        "HTTP",
        "Keys",
        "Networking",
        "Opening",
        "Platform",
        "Primitives",
        "Sealing",
        "TestCertificates",
        "WebPush"
    ),
]

// The database of several relays.
if hasPostgreSQL {
    package.targets += [
        library("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),
        module("PostgreSQL", "CPostgreSQL", "Networking", "Platform"),
        module("PostgreSQLStore", "APNS", "Envelope", "Platform", "PostgreSQL", "Primitives", "PushStore"),
        // Servers of a test, in its temporary folder.
        .target(
            name: "PostgreSQLServers",
            dependencies: [
                "Networking", "Platform", "PostgreSQL", "PostgreSQLStore", "PushStore", "TestCertificates",
                "TestSupport",
            ],
            path: "Tests/Support/PostgreSQLServers",
            swiftSettings: house
        ),
        tests("PostgreSQLTests", "Networking", "Platform", "PostgreSQL", "PostgreSQLServers", "TestCertificates"),
        tests(
            "PostgreSQLStoreTests",
            "APNS",
            "Envelope",
            "Networking",
            "Platform",
            "PostgreSQL",
            "PostgreSQLServers",
            "PostgreSQLStore",
            "Primitives",
            "PushStore",
            "PushStorePattern"
        ),
    ]
} else {
    dropPostgreSQL(from: package)
}
#endif
