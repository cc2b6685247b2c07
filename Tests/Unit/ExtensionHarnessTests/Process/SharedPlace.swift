import ExtensionHarness
import Foundation

extension ExtensionProgram {
    /// The extension of Tests/Support/BrokenExtensions with this fault; `none` is one.
    static func broken(_ fault: String) -> ExtensionProgram {
        var program = ExtensionProgram.built("BrokenExtensions")
        program.arguments = [fault]
        // Crashes are meant here: their traces are of no use, and take seconds.
        program.environment = ["SWIFT_BACKTRACE": "enable=no"]
        return program
    }
}

/// The folder of an app group, gone with the test.
final class SharedPlace: Sendable {
    let url: URL
    private let group: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        group = url.appendingPathComponent("group.com.example.chat")
        do {
            try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no folder for the test: \(error)")
        }
    }

    deinit {
        // Leftovers are in the build's own temporary folder.
        try? FileManager.default.removeItem(at: url)
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: group.path) }
}
