/// A file's imports: modules that its target declares, or the toolchain's.
enum ImportRules {
    /// Modules of the toolchain that every target may use.
    static let toolchain: Set = ["Glibc", "Darwin", "Synchronization"]
    /// Modules that only some may use. Foundation is for Apple's API, everything else is bytes; Dispatch brings threads
    /// of its own, where servers have one loop.
    static let restricted: [(modules: Set<String>, users: Set<String>, instead: String)] = [
        (
            ["Foundation", "FoundationEssentials", "FoundationNetworking"],
            [
                "AppleFoundation", "CallKit", "ChildProcesses", "CryptoKit", "ExtensionHarness",
                "NotificationServiceExtension", "PushKit", "Security", "UserNotifications", "sealedpush",
            ],
            "is for Apple's own API only; work on bytes, or move this to another target"
        ),
        (["CryptoKit"], ["Primitives"], "is behind Primitives, on Apple's platforms; use its types"),
        (["Dispatch"], ["sealedpush"], "brings threads of its own; use Networking's event loop"),
    ]
    /// Files whose whole purpose is one of Apple's own interfaces, and their extra modules.
    static let appleOnly: [String: Set<String>] = [
        "Sources/NotificationCore/AppDevice/AppDevice+Backups.swift": ["Foundation"],
        "Sources/NotificationCore/Attachments/HTTPSDownloader+Apple.swift": ["Foundation", "AppleFoundation"],
        "Sources/NotificationCore/Receipts/ExpiringActivity+Apple.swift": ["Foundation", "AppleFoundation"],
        "Sources/NotificationServiceExtension/UNNotificationContent+Communication.swift": ["Intents"],
        // Its own module only where a suite compiles it once more, against the stand-in.
        "Sources/RelayClient/RelayExchange+Apple.swift": ["Foundation", "AppleFoundation"],
        "Sources/Sealing/SenderIdentity+Keychain.swift": ["Sealing"],
        "Sources/Keys/Storage/KeychainSecretStore.swift": ["Foundation", "Keys", "Security"],
        "Sources/Platform/Wiping.swift": ["DarwinStandIn"],
    ]

    /// `files` are those under Sources and Benchmarks.
    static func check(_ files: [TextFile], of manifest: Manifest) -> [Finding] {
        files.flatMap { file -> [Finding] in
            let targets = manifest.targets.filter { !$0.isC && file.path.hasPrefix($0.path + "/") }
            guard let target = targets.first else {
                return [
                    Finding(
                        path: file.path,
                        line: 1,
                        problem: "belongs to no target in \(manifest.path); declare one or remove the file"
                    )
                ]
            }
            return findings(about: file, in: target)
        }
    }

    private static func findings(about file: TextFile, in target: Manifest.Target) -> [Finding] {
        let imports = imports(of: file)
        let hidden = continuation(of: file, in: target, importing: imports.map(\.module))
        return hidden
            + imports.compactMap { module, line in
                if appleOnly[file.path]?.contains(module) == true { return nil }
                return problem(module, in: target).map { Finding(path: file.path, line: line, problem: $0) }
            }
    }

    /// Platform has continuations whose hand-over the thread sanitizer sees, by the library's names.
    private static func continuation(
        of file: TextFile,
        in target: Manifest.Target,
        importing modules: [String]
    ) -> [Finding] {
        guard !modules.contains("Platform"), !["Platform", "AppleFoundation"].contains(target.name) else { return [] }
        let names = ["CheckedContinuation", "UnsafeContinuation", "ThrowingContinuation"]
        let line = SwiftText(file.text).codeLines.first { line in names.contains { line.1.contains($0) } }
        guard let line else { return [] }
        let problem = "has a continuation; import Platform, by whose the thread sanitizer sees the hand-over"
        return [Finding(path: file.path, line: line.0, problem: problem)]
    }

    private static func problem(_ module: String, in target: Manifest.Target) -> String? {
        if target.dependencies.contains(module) || toolchain.contains(module) { return nil }
        if let rule = restricted.first(where: { $0.modules.contains(module) }) {
            return rule.users.contains(target.name) ? nil : "\(module) \(rule.instead)"
        }
        return "\(target.name) imports \(module) and does not declare it; declare it where architecture.md allows it"
    }

    /// Every imported module, however the import is spelled, and its line.
    static func imports(of file: TextFile) -> [(module: String, line: Int)] {
        guard file.text.contains("import") else { return [] }
        return SwiftText(file.text).codeLines.flatMap { number, line -> [(module: String, line: Int)] in
            guard line.contains("import") else { return [] }
            return line.split(separator: ";").compactMap { statement in
                let words = statement.split(whereSeparator: \.isWhitespace)
                guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { return nil }
                let kinds: Set = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias", "actor"]
                let isScoped = kinds.contains(String(words[index + 1])) && index + 2 < words.count
                let name = words[isScoped ? index + 2 : index + 1]
                return (module: String(name.prefix { $0 != "." }), line: number)
            }
        }
    }
}
