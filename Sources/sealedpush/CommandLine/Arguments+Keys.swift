import CommandLineTool
import Envelope
import Keys
import Primitives
import Sealing

extension Arguments {
    func topic(_ name: String = "--topic") throws(CommandError) -> BundleID {
        let text = try required(name)
        do {
            return try BundleID(text)
        } catch {
            throw wrong("\(name) must be the app's bundle id: letters, digits, '-' and '.', at most 155 bytes")
        }
    }

    func senderIdentity() throws(CommandError) -> SenderIdentity {
        let path = try required("--sender-key")
        do throws(FileError) {
            return try SenderIdentity(keyFile: path, exampleKeys: exampleKeys)
        } catch {
            throw .file(error)
        }
    }

    /// nil without `--pins`.
    func pins() throws(CommandError) -> FileBundlePinStore? {
        guard let folder = value("--pins") else { return nil }
        do throws(BundlePinStoreError) {
            return try FileBundlePinStore(folder: folder)
        } catch {
            throw .failed(error.sentence)
        }
    }

    func verifyingKey<Owner>(file path: String, _: Owner.Type) throws(CommandError) -> VerifyingKey<Owner> {
        let text = String(decoding: try readInput(path, byteCountMax: 4_096), as: UTF8.self)
        do {
            return try VerifyingKey<Owner>(text: text)
        } catch .privateKey {
            throw .file(.privateKey(path: path))
        } catch {
            throw .failed(
                "\(TerminalText.safe(path)) is not a line '\(Owner.textPrefix)…' with a key; check the path"
            )
        }
    }

    /// Such as "90s", "15m", "1h" or "7d".
    func duration(_ name: String) throws(CommandError) -> Duration? {
        guard let text = value(name) else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count >= 0,
            count <= 1_000_000
        else { throw wrong("\(name) must be a number followed by s, m, h or d, such as 90s") }
        return .seconds(count * unit)
    }
}
