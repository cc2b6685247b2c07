import APNS
import CommandLineTool
import Envelope
import Keys
import Primitives
import Sealing

struct TicketCommand: Command {
    static let name = "ticket"
    static let summary = "signs a ticket with which one device enrols at a relay, as an app's back end would"
    static let operands = ""
    static let options = [
        Option(
            "--sender-key",
            "FILE",
            "the private key, from 'keygen sender'; one that signs nothing else",
            isRequired: true
        ),
        Option("--origin", "URL", "the 'origin' of the relay's gateway", isRequired: true),
        Option(
            "--registration",
            "FILE",
            "the app's registration (JSON), as 'device --registration-out' writes it",
            isRequired: true
        ),
        Option("--endpoint-key-hash", "HASH", "the hash of the device's endpoint key, from its app", isRequired: true),
        Option("--minutes", "N", "of the ticket's life, 60 at most; 10 without it"),
        .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush ticket --sender-key enrolment/sender.key \\
              --origin https://push.example.com --registration registration.json \\
              --endpoint-key-hash "$hash"

        Prints a JWT under Ed25519, which any library makes as well. The relay's configuration has the public key: the 43
        characters behind 'sealedpush-sender-1:' in sender.pub.
        """

    private let arguments: Arguments
    private let origin: String
    private let keyHash: String
    private let minutes: Int

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        self.arguments = arguments
        origin = try arguments.required("--origin")
        keyHash = try arguments.required("--endpoint-key-hash")
        guard Base64URL.decode(text: keyHash)?.count == SHA256.byteCount else {
            throw arguments.wrong("--endpoint-key-hash must be 43 characters of base64url")
        }
        minutes = try arguments.number("--minutes", 1...60) ?? 10
    }

    func run() throws(CommandError) {
        let sender = try arguments.senderIdentity()
        let path = try arguments.required("--registration")
        let limits = JSONParser.Limits(byteCountMax: 65_536, depthMax: 8, allowsFractions: false)
        // `try?`: the app writes it, and the sentence says all that helps.
        let registration = try? JSONParser.parse(try readInput(path, byteCountMax: 65_536), limits: limits)
        guard let app = registration?["topic"]?.string,
            let token = registration?["token"]?.string.flatMap({ try? DeviceToken(hex: $0) })
        else {
            throw .failed("\(TerminalText.safe(path)) is no registration with 'topic' and 'token'; give the app's")
        }
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("aud", origin)
            claims.member("app", app)
            claims.member("sub", keyHash)
            claims.member("token", Base64URL.string(SHA256.hash(token.bytes)))
            claims.member("exp", Int(clamping: Timestamp.now.milliseconds / 1_000) + minutes * 60)
        }
        // RFC 8037 section 3.1.
        let text = Base64URL.string(Array(#"{"alg":"EdDSA"}"#.utf8)) + "." + Base64URL.string(claims.bytes)
        let signature: [UInt8]
        do throws(PrimitiveError) {
            signature = try sender.withSeed { seed throws(PrimitiveError) in
                try Ed25519PrivateKey(seed: SecretBytes(copying: seed)).signature(over: Array(text.utf8))
            }
        } catch {
            throw .failed("the key cannot sign; make another with 'keygen sender'")
        }
        try Output.print(text + "." + Base64URL.string(signature))
    }
}
