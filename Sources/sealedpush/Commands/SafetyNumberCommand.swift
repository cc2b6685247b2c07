import CommandLineTool
import Keys

struct SafetyNumberCommand: Command {
    static let name = "safety-number"
    static let summary = "prints the number that both sides compare to rule out a man in the middle"
    static let operands = "KEY KEY"
    private static let qr = Option(flag: "--qr", "prints the text of the QR code instead: both keys whole")
    static let options = [qr]
    static let example = """
        Example:
          sealedpush safety-number keys-example/sender.pub keys-example/identity.pub

        One KEY is the sender's public key, which the device pins, the other the device's public identity, which the sender
        pins. Their order makes no difference. Compare the whole number over a channel on which you know the other side.
        """

    private let arguments: Arguments
    private let paths: [String]

    init(_ arguments: Arguments) throws(CommandError) {
        guard arguments.operands.count == 2 else {
            throw arguments.wrong("give two files, each with one public key")
        }
        self.arguments = arguments
        paths = arguments.operands
    }

    func run() throws(CommandError) {
        switch (try key(paths[0]), try key(paths[1])) {
        case (.device(let one), .device(let other)): try print(one, other)
        case (.device(let one), .sender(let other)): try print(one, other)
        case (.sender(let one), .device(let other)): try print(one, other)
        case (.sender(let one), .sender(let other)): try print(one, other)
        }
    }

    private enum PublicKey {
        case device(IdentityKey)
        case sender(SenderKey)
    }

    /// The prefix tells the role.
    private func key(_ path: String) throws(CommandError) -> PublicKey {
        let text = String(decoding: try readInput(path, byteCountMax: 4_096), as: UTF8.self)
        do {
            return .device(try IdentityKey(text: text))
        } catch .wrongPrefix {
            do {
                return .sender(try SenderKey(text: text))
            } catch {
                throw noKey(path, error)
            }
        } catch {
            throw noKey(path, error)
        }
    }

    private func noKey(_ path: String, _ error: KeyTextError) -> CommandError {
        guard error != .privateKey else { return .file(.privateKey(path: path)) }
        return .failed(
            "\(TerminalText.safe(path)) is not a line '\(DeviceOwner.textPrefix)…' or '\(SenderOwner.textPrefix)…' with a "
                + "key; check the path"
        )
    }

    private func print<One, Other>(
        _ one: VerifyingKey<One>,
        _ other: VerifyingKey<Other>
    ) throws(CommandError) {
        let text = arguments.flag(Self.qr) ? SafetyCode(one, other).text : SafetyNumber(one, other).text
        try Output.print(text)
    }
}
