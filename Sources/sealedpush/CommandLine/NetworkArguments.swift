import APNS
import Keys
import Primitives
import Transport

extension Arguments {
    /// "localhost:8443", "[::1]:8443".
    func hostAndPort(_ name: String) throws(CommandFailure) -> (host: String, port: UInt16) {
        let text = try required(name)
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw wrong("\(name) is a host and a port, localhost:2197 for instance")
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty else { throw wrong("\(name): the host is missing") }
        return (String(isBracketed ? host.dropFirst().dropLast() : host), port)
    }

    func port(_ name: String, default standard: UInt16) throws(CommandFailure) -> UInt16 {
        guard let text = value(name) else { return standard }
        guard let port = UInt16(text) else {
            throw wrong("\(name) is a number from 0 to 65535; 0 lets the system choose")
        }
        return port
    }

    /// Whom to trust for a server's certificate: the system's authorities, or the file of one's own.
    func trust() throws(CommandFailure) -> TLSTrust {
        guard let path = value("--ca") else { return .system }
        return .pem(try readInput(path, byteCountMax: 1 << 20))
    }

    /// A client's side of TLS, for one protocol.
    func clientContext(protocol name: String, identity: TLSIdentity? = nil) throws(CommandFailure) -> TLSContext {
        let trust = try trust()
        do {
            return try .client(trust: trust, alpn: [name], identity: identity)
        } catch {
            throw .failed("\(TerminalText.safe(value("--ca") ?? "the system's authorities")): \(error.sentence)")
        }
    }

    func pushTopic() throws(CommandFailure) -> Topic {
        do {
            return try Topic(try required("--topic"))
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw wrong("--topic is the app's bundle id, and for some push types a suffix behind it")
        }
    }

    /// A device token in hex, as `device --token-out` writes it.
    func deviceToken(file path: String) throws(CommandFailure) -> DeviceToken {
        let text = String(decoding: try readInput(path, byteCountMax: 4_096).filter { $0 > 0x20 }, as: UTF8.self)
        do {
            return try DeviceToken(hex: text)
        } catch {
            throw .failed("\(TerminalText.safe(path)) is not a device token in hex; was another file meant?")
        }
    }

    func keyID() throws(CommandFailure) -> KeyID {
        let text = try required("--key-id")
        do { return try KeyID(text) } catch { throw wrong("--key-id has ten letters and digits, as Apple shows it") }
    }

    func teamID() throws(CommandFailure) -> TeamID {
        let text = try required("--team-id")
        do { return try TeamID(text) } catch { throw wrong("--team-id has ten letters and digits, as Apple shows it") }
    }

    /// A PEM file with a private key in it.
    func privatePEM(_ name: String) throws(CommandFailure) -> SecretBytes {
        let path = try required(name)
        do {
            return try PrivateFile.read(path, exampleKeys: exampleKeys)
        } catch {
            throw .file(error)
        }
    }
}
