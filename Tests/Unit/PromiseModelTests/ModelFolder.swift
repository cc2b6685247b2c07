import Foundation
import Keys

/// The device's disk: a folder, in memory where possible, that can be restored to an earlier state.
///
/// The replay window is restored in place: processes that have it open see the restored bytes.
final class ModelFolder {
    struct Image {
        fileprivate let window: Data
        fileprivate let files: [String: [UInt8]]
    }

    let path: String
    var container: String { path + "/group" }
    var privatePath: String { path + "/private" }
    private var windowPath: String { container + "/replay-window-1" }

    init() throws {
        let memory = "/dev/shm"
        let isThere = FileManager.default.isWritableFile(atPath: memory)
        path = (isThere ? memory : NSTemporaryDirectory()) + "/promise-model-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: privatePath, withIntermediateDirectories: true)
    }

    func window() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: windowPath)) }

    func putBack(window: Data) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: windowPath))
        try file.write(contentsOf: window)
        try file.close()
    }

    func image() throws -> Image {
        var files: [String: [UInt8]] = [:]
        for name in try names() {
            files[name] = try WholeFile.read(path + "/" + name, byteCountMax: 1 << 20)
        }
        return Image(window: try window(), files: files)
    }

    func putBack(_ image: Image) throws {
        for name in try names() where image.files[name] == nil {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, bytes) in image.files {
            // Unchanged files stay: most are.
            if (try? WholeFile.read(path + "/" + name, byteCountMax: 1 << 20)) == bytes { continue }
            try WholeFile.write(bytes, to: path + "/" + name, access: .ownerOnly)
        }
        try putBack(window: image.window)
    }

    private func names() throws -> [String] {
        var names: [String] = []
        for folder in ["group", "private"] {
            names += try PrivateFolder.names(path + "/" + folder, countMax: 4_096).map { folder + "/" + $0 }
            for inner in try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder) {
                let inner = folder + "/" + inner
                var isFolder: ObjCBool = false
                _ = unsafe FileManager.default.fileExists(atPath: path + "/" + inner, isDirectory: &isFolder)
                guard isFolder.boolValue else { continue }
                names += try PrivateFolder.names(path + "/" + inner, countMax: 4_096).map { inner + "/" + $0 }
            }
        }
        return names.filter { $0 != "group/replay-window-1" }
    }

    deinit {
        // Leftovers are in the system's folder for temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }
}
