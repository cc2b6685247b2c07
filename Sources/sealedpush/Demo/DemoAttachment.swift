import ChildProcesses
import CommandLineTool
import Envelope
import Keys

/// Picture, sealed before upload; the message has its key.
struct DemoAttachment {
    let keys: String
    let folder: String
    let stop: StopSignal
    var name = "picture"

    var pointerPath: String { "\(folder)/\(name).json" }

    var storedPath: String { "\(folder)/\(name).sealed" }
    var filesFolder: String { folder + "/files" }
    private var tokenPath: String { folder + "/files.token" }

    func startHost() throws(CommandError) -> ChildProcess {
        let token = try ChildProcess(
            beside: "sealedpush-blobs",
            ["token", "--name", "demo", "--out", tokenPath],
            stop: stop
        )
        try write(try token.nextLine(), to: folder + "/tenants.txt")
        try token.wait()
        return try ChildProcess(
            beside: "sealedpush-blobs",
            [
                "serve", "--json", "--allow-example-keys", "--port", "0", "--folder", filesFolder,
                "--tenants", folder + "/tenants.txt", "--certificate", keys + "/files.pem",
                "--certificate-key", keys + "/files.key",
            ],
            stop: stop
        )
    }

    /// - Returns: bytes at the host.
    func upload(_ picture: String, port: Int64) throws(CommandError) -> Int64 {
        let sealing = try ChildProcess(["attachment", "seal", picture, storedPath, "--type", "image/png"], stop: stop)
        try write(try sealing.nextLine(), to: "\(folder)/\(name).unsent.json")
        try sealing.wait()
        let upload = try ChildProcess(
            [
                "attachment", "upload", storedPath, "--to", "https://localhost:\(port)", "--token-file", tokenPath,
                "--ca", keys + "/ca.pem", "--pointer", "\(folder)/\(name).unsent.json",
                "--public-url", "https://\(DeviceCommand.filesHost)",
            ],
            stop: stop
        )
        let pointer = try upload.nextLine()
        try upload.wait()
        try write(pointer, to: pointerPath)
        return try upload.parse(pointer).integer("stored")
    }

    private func write(_ line: [UInt8], to path: String) throws(CommandError) {
        do {
            try WholeFile.write(line + [UInt8(ascii: "\n")], to: path, access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }
}
