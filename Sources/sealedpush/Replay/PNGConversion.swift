import CLinux
import ChildProcesses
import CommandLineTool
import Glibc
import Keys

/// Uses an installed tool: drawing text well takes a library.
enum PNGConversion {
    private struct Tool {
        let name: String
        let arguments: @Sendable (_ svg: String, _ png: String) -> [String]
    }

    /// Best first: ImageMagick's result depends on how it was built.
    private static let tools = [
        Tool(name: "rsvg-convert") { ["--format", "png", "--zoom", "2", "--output", $1, $0] },
        Tool(name: "inkscape") { ["--export-type=png", "--export-dpi=192", "--export-filename=\($1)", $0] },
        Tool(name: "magick") { ["-density", "192", "svg:\($0)", "png:\($1)"] },
        Tool(name: "convert") { ["-density", "192", "svg:\($0)", "png:\($1)"] },
    ]

    static var toolNames: String { tools.map(\.name).joined(separator: ", ") }

    private static let byteCountMax = 32 << 20
    private static let magic: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// - Returns: nil if no tool succeeds.
    static func png(of svg: [UInt8]) throws(CommandError) -> [UInt8]? {
        let folder = try TemporaryFolder("picture")
        let (svgPath, pngPath) = (folder.path + "/picture.svg", folder.path + "/picture.png")
        try writeOutput(svg, to: svgPath)
        for tool in tools {
            guard let program = path(of: tool.name) else { continue }
            guard try succeeds([program] + tool.arguments(svgPath, pngPath)) else { continue }
            // Counts as a missing tool.
            guard let png = try? WholeFile.read(pngPath, byteCountMax: byteCountMax), png.starts(with: magic) else {
                continue
            }
            return png
        }
        return nil
    }

    private static func path(of tool: String) -> String? {
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(tool)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    private static func succeeds(_ line: [String]) throws(CommandError) -> Bool {
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { throw .file(.system(call: "open", path: "/dev/null", code: errno)) }
        defer { close(nowhere) }
        var words = unsafe line.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let id = unsafe clinux_spawn(line[0], &words, nowhere, -1)
        guard id > 0 else { return false }
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }
}
