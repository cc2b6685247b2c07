package import CommandLineTool
import Foundation
import Keys

/// Folder of mode 0700 below $TMPDIR, removed with its owner.
package struct TemporaryFolder: ~Copyable {
    package let path: String

    package init(_ purpose: String) throws(CommandError) {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let parent = named.isEmpty ? "/tmp" : named
        var template = Array("\(parent)/sealedpush-\(purpose)-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw .file(.system(call: "mkdtemp", path: parent, code: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// - Returns: path of a new subfolder.
    package func make(_ name: String) throws(CommandError) -> String {
        let path = "\(path)/\(name)"
        guard unsafe mkdir(path, 0o700) == 0 else { throw .file(.system(call: "mkdir", path: path, code: errno)) }
        return path
    }

    deinit {
        // A folder that cannot be removed stays; nothing depends on it.
        try? FileManager.default.removeItem(atPath: path)
    }
}
