import Foundation

/// The built command line and the checkout that it was built from.
enum Program {
    /// Beside the test bundle: .build/debug, .build/address, wherever this run was built.
    static let path: String = {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("sealedpush").path
    }()

    static let checkout: String = {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }()

    static let keys = checkout + "/keys-example"

    static let commands = [
        "keygen", "seal", "open", "attachment", "inspect", "safety-number", "send", "blobs", "simulate", "device",
        "replay", "demo",
        "bench",
    ]
}
