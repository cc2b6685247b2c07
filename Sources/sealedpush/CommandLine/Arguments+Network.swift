import APNS
import CommandLineTool
import Networking
import Primitives

extension Arguments {
    /// One PEM file with certificate and key.
    func clientIdentity(advice: String) throws(CommandError) -> TLSIdentity {
        let pem = try privatePEM("--certificate")
        do {
            return try pem.withBytes { span throws(TLSIdentityError) in
                let none: [UInt8] = []
                return try TLSIdentity(
                    certificateChainPEM: span,
                    privateKeyPEM: span,
                    password: unsafe none.span.bytes
                )
            }
        } catch {
            let path = TerminalText.safe(value("--certificate") ?? "")
            throw .failed("\(path) is not a certificate with its key (PEM); \(advice)")
        }
    }

    /// nil for a protocol older than ALPN.
    func clientContext(protocol name: String?, identity: TLSIdentity? = nil) throws(CommandError) -> TLSContext {
        let trust = try trust()
        do {
            return try .client(trust: trust, alpn: name.map { [$0] } ?? [], identity: identity)
        } catch {
            throw .failed("\(TerminalText.safe(value("--ca") ?? "the system's authorities")): \(error.sentence)")
        }
    }

    func pushTopic() throws(CommandError) -> Topic {
        do {
            return try Topic(try required("--topic"))
        } catch let error as CommandError {
            throw error
        } catch {
            throw wrong("--topic must be the app's bundle id, followed by a suffix for some push types")
        }
    }

    /// In hex, as `device --token-out` writes it.
    func deviceToken(file path: String) throws(CommandError) -> DeviceToken {
        let text = String(decoding: try readInput(path, byteCountMax: 4_096).filter { $0 > 0x20 }, as: UTF8.self)
        do {
            return try DeviceToken(hex: text)
        } catch {
            throw .failed("\(TerminalText.safe(path)) is not a device token in hex; check the path")
        }
    }
}
