import Foundation

enum Checkout {
    /// Tests/Unit/HouseTests/Checkout.swift is four steps below it.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ path: String) throws -> TextFile {
        TextFile(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// Every file with this ending under a folder, in the order of their paths.
    static func files(under folder: String, ending: String) throws -> [TextFile] {
        try names(under: folder, ending: ending).map { try file(folder + "/" + $0) }
    }

    /// Their paths from the folder, without their contents.
    static func names(under folder: String, ending: String) throws -> [String] {
        guard let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path) else {
            throw Missing(folder: folder)
        }
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.sorted()
    }

    /// Our own Swift: files of strangers keep their own style.
    static func swiftFiles() throws -> [TextFile] {
        try ["Sources", "Benchmarks", "Tests"].flatMap { try files(under: $0, ending: ".swift") }
            .filter { !$0.path.hasPrefix("Tests/Conformance/Strangers/") }
    }

    struct Missing: Error {
        let folder: String
    }
}
