import Foundation
import Testing

@testable import Primitives

struct ES256Tests {
    /// RFC 7515 Appendix A.3: an ES256 key, a signing input and a signature over it.
    private enum RFC7515 {
        static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
        static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
        static let d = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
        static let input = Array(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p"
                + "c19yb290Ijp0cnVlfQ").utf8
        )
        static let signature =
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

        static func privatePEM() throws -> [UInt8] {
            // RFC 5958 around RFC 5915, with the curve's name in the algorithm.
            let head: [UInt8] = [
                0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
                0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01,
                0x04, 0x20,
            ]
            let middle: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00, 0x04]
            return pem(label: "PRIVATE KEY", head + (try bytes(d)) + middle + (try bytes(x)) + (try bytes(y)))
        }

        static func publicPEM() throws -> [UInt8] {
            let head: [UInt8] = [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
            ]
            return pem(label: "PUBLIC KEY", head + (try bytes(x)) + (try bytes(y)))
        }

        static func bytes(_ base64URL: String) throws -> [UInt8] {
            let text = base64URL.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            return Array(try #require(Data(base64Encoded: padded)))
        }

        static func pem(label: String, _ der: [UInt8]) -> [UInt8] {
            Array("-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n".utf8)
        }
    }

    @Test func `verifies the signature of RFC 7515 Appendix A.3`() throws {
        let key = try publicKey(RFC7515.publicPEM())
        let signature = try RFC7515.bytes(RFC7515.signature)
        #expect(key.isValid(rawSignature: signature, over: RFC7515.input))
    }

    @Test func `the private key of RFC 7515 Appendix A.3 signs 64 bytes that its public half verifies`() throws {
        let key = try privateKey(RFC7515.privatePEM())
        let signature = try key.signature(over: RFC7515.input)
        #expect(signature.count == 64)
        let published = try publicKey(RFC7515.publicPEM())
        #expect(published.isValid(rawSignature: signature, over: RFC7515.input))
        #expect(try key.publicKey().isValid(rawSignature: signature, over: RFC7515.input))
    }

    @Test func `no single flipped bit of a raw signature verifies`() throws {
        let key = try publicKey(RFC7515.publicPEM())
        let signature = try RFC7515.bytes(RFC7515.signature)
        for bit in 0..<8 * signature.count {
            var flipped = signature
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(rawSignature: flipped, over: RFC7515.input), "bit \(bit)")
        }
    }

    @Test(arguments: [0, 1, 32, 63, 65, 70, 128])
    func `a raw signature of another length is refused`(_ byteCount: Int) throws {
        let key = try publicKey(RFC7515.publicPEM())
        let signature = Array(
            (try RFC7515.bytes(RFC7515.signature) + [UInt8](repeating: 0, count: 64)).prefix(byteCount)
        )
        #expect(!key.isValid(rawSignature: signature, over: RFC7515.input))
    }

    @Test func `zero and the group order are no halves of a signature`() throws {
        let key = try publicKey(RFC7515.publicPEM())
        let order = try RFC7515.bytes("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE")
        for half in [[UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32)] {
            let signature = half + half
            #expect(!key.isValid(rawSignature: signature, over: RFC7515.input))
        }
    }

    @Test func `another message does not verify`() throws {
        let key = try publicKey(RFC7515.publicPEM())
        let signature = try RFC7515.bytes(RFC7515.signature)
        let shorter = Array(RFC7515.input.dropLast())
        #expect(!key.isValid(rawSignature: signature, over: shorter))
    }

    @Test func `another key does not verify`() throws {
        let key = try publicKey(Array(Keys.otherPublic.utf8))
        let signature = try RFC7515.bytes(RFC7515.signature)
        #expect(!key.isValid(rawSignature: signature, over: RFC7515.input))
    }

    @Test func `the DER signature that openssl dgst made verifies, and not as raw`() throws {
        let key = try publicKey(Array(Keys.p256Public.utf8))
        let message = Array("signed by openssl".utf8)
        #expect(key.isValid(derSignature: Keys.derSignature, over: message))
        #expect(!key.isValid(rawSignature: Keys.derSignature, over: message))
    }

    @Test func `a DER signature with a byte behind it, or cut at any length, is refused`() throws {
        let key = try publicKey(Array(Keys.p256Public.utf8))
        let message = Array("signed by openssl".utf8)
        let longer = Keys.derSignature + [0]
        #expect(!key.isValid(derSignature: longer, over: message))
        for byteCount in 0..<Keys.derSignature.count {
            let cut = Array(Keys.derSignature.prefix(byteCount))
            #expect(!key.isValid(derSignature: cut, over: message), "\(byteCount) bytes")
        }
    }

    @Test func `a key is its point, and no other bytes are one`() throws {
        let point = try [0x04] + RFC7515.bytes(RFC7515.x) + RFC7515.bytes(RFC7515.y)
        let key = try ES256PublicKey(x963Representation: point)
        #expect(key.isValid(rawSignature: try RFC7515.bytes(RFC7515.signature), over: RFC7515.input))
        var offCurve = point
        offCurve[64] ^= 1
        let compressed = [0x02 + (point[64] & 1)] + point[1...32]
        let hybrid = [0x06] + point.dropFirst()
        for bytes: [UInt8] in [[], [0], point.dropLast(), point + [0], offCurve, compressed, hybrid] {
            #expect(throws: ES256Error.malformed, "\(bytes.count) bytes") {
                _ = try ES256PublicKey(x963Representation: bytes)
            }
        }
    }

    @Test func `text before the block is skipped`() throws {
        let marked = Array(("An example key, no secret.\nBEGIN here:\n\n" + Keys.p256).utf8)
        let signature = try privateKey(marked).signature(over: [1, 2, 3])
        let key = try publicKey(Array(Keys.p256Public.utf8))
        #expect(key.isValid(rawSignature: signature, over: [1, 2, 3]))
    }

    /// One file that is no key. A failure prints the name: the contents are long.
    struct BadFile: CustomTestStringConvertible {
        let name: String
        let pem: String
        let expected: ES256Error
        var testDescription: String { name }

        init(_ name: String, _ pem: String, _ expected: ES256Error) {
            (self.name, self.pem, self.expected) = (name, pem, expected)
        }
    }

    @Test(arguments: [
        BadFile("nothing", "", .noBlock(label: "PRIVATE KEY")),
        BadFile("a word", "hello", .noBlock(label: "PRIVATE KEY")),
        BadFile("the public half", Keys.p256Public, .noBlock(label: "PRIVATE KEY")),
        BadFile("the older EC form", Keys.sec1, .noBlock(label: "PRIVATE KEY")),
        BadFile("an encrypted key", Keys.encrypted, .noBlock(label: "PRIVATE KEY")),
        BadFile("another curve", Keys.p384, .notP256),
        BadFile("another kind", Keys.ed25519, .notP256),
        BadFile("a cut DER", "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n", .malformed),
        BadFile(
            "no base64",
            "-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n",
            .noBlock(label: "PRIVATE KEY")
        ),
        BadFile("no end", String(Keys.p256.dropLast(10)), .noBlock(label: "PRIVATE KEY")),
        BadFile(
            "64 KiB and one",
            String(repeating: " ", count: 65_537),
            .tooLong(byteCount: 65_537, byteCountMax: 65_536)
        ),
    ])
    func `a file that holds no P-256 private key says why`(_ file: BadFile) {
        expect(file.expected) { () throws(ES256Error) in _ = try privateKey(Array(file.pem.utf8)) }
    }

    @Test(arguments: [
        BadFile("nothing", "", .noBlock(label: "PUBLIC KEY")),
        BadFile("the private half", Keys.p256, .noBlock(label: "PUBLIC KEY")),
        BadFile("another curve", Keys.p384Public, .notP256),
        BadFile("a cut DER", "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n", .malformed),
    ])
    func `a file that holds no P-256 public key says why`(_ file: BadFile) {
        expect(file.expected) { () throws(ES256Error) in _ = try publicKey(Array(file.pem.utf8)) }
    }

    /// CryptoKit gives fewer reasons.
    private func expect(_ expected: ES256Error, _ body: () throws(ES256Error) -> Void) {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        #expect(throws: ES256Error.self, performing: body)
        #else
        #expect(throws: expected, performing: body)
        #endif
    }

    // CryptoKit does not say that it compares the halves.
    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `a private half with somebody else's public half is refused`() throws {
        var der = try #require(Data(base64Encoded: Keys.base64(of: Keys.p256)))
        let other = try #require(Data(base64Encoded: Keys.base64(of: Keys.otherPublic)))
        der.replaceSubrange(der.count - 64..<der.count, with: other.suffix(64))
        let pem = RFC7515.pem(label: "PRIVATE KEY", Array(der))
        #expect(throws: ES256Error.halvesDiffer) { _ = try privateKey(pem) }
    }
    #endif
}

private func publicKey(_ pem: [UInt8]) throws(ES256Error) -> ES256PublicKey {
    try unsafe ES256PublicKey(pem: pem.span.bytes)
}
private func privateKey(_ pem: [UInt8]) throws(ES256Error) -> ES256PrivateKey {
    try unsafe ES256PrivateKey(pem: pem.span.bytes)
}

/// Throwaway keys. Made with OpenSSL 3.0:
///
///     openssl ecparam -name prime256v1 -genkey -noout -out p256sec1.pem
///     openssl pkcs8 -topk8 -nocrypt -in p256sec1.pem -out p256.p8
///     openssl pkcs8 -topk8 -in p256sec1.pem -out p256enc.p8 -passout pass:secret
///     openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out p384.p8
///     openssl genpkey -algorithm ed25519 -out ed.p8
///     printf 'signed by openssl' | openssl dgst -sha256 -sign p256.p8
private enum Keys {
    static func base64(of pem: String) -> String {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    static let derSignature: [UInt8] = [
        0x30, 0x45, 0x02, 0x21, 0x00, 0x97, 0x83, 0x72, 0x09, 0x9D, 0x64, 0xB9, 0xF7, 0xF2, 0x86, 0xE4, 0xFA,
        0x30, 0x07, 0xD3, 0xA4, 0x54, 0x3E, 0xB3, 0xC3, 0xF2, 0x45, 0x41, 0x97, 0x36, 0xFE, 0xE1, 0x0B, 0xC6,
        0x1D, 0x68, 0x2F, 0x02, 0x20, 0x15, 0x64, 0x66, 0xF6, 0x9D, 0x69, 0x11, 0x15, 0xBC, 0x9D, 0x93, 0x2A,
        0x8E, 0x5E, 0xE7, 0x2C, 0x1B, 0x93, 0x88, 0x8C, 0x8C, 0x23, 0x77, 0xA9, 0x40, 0x07, 0xA6, 0x68, 0xBF,
        0x72, 0xDD, 0x09,
    ]

    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtac06fpLO4QOT+TH
        LOSH4TCvoKpAZnKZpCMzPAJPr7ahRANCAAQbtH2WZJcN2YK/eyWW2KDBM0ILF2RZ
        j3eqEQztZjiiGUAugeoIY5lZArcdACc2uFSTAdsTwHVSkcYMzoBCBcrT
        -----END PRIVATE KEY-----

        """

    static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEG7R9lmSXDdmCv3slltigwTNCCxdk
        WY93qhEM7WY4ohlALoHqCGOZWQK3HQAnNrhUkwHbE8B1UpHGDM6AQgXK0w==
        -----END PUBLIC KEY-----

        """

    static let otherPublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUqv4JBV+SZ5mt7BpSR+6uAXnKm2p
        OWkKygVan7NfaqjpESFfIvovOsEI35ufGsMH32MD841gcirk8MkQ3f2bFg==
        -----END PUBLIC KEY-----

        """

    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEILWnNOn6SzuEDk/kxyzkh+Ewr6CqQGZymaQjMzwCT6+2oAoGCCqGSM49
        AwEHoUQDQgAEG7R9lmSXDdmCv3slltigwTNCCxdkWY93qhEM7WY4ohlALoHqCGOZ
        WQK3HQAnNrhUkwHbE8B1UpHGDM6AQgXK0w==
        -----END EC PRIVATE KEY-----

        """

    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjvgpIjoo4sBAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIxlsW5rupQScd8FNUIH28UEgZBQ
        rMUVb+AZ9COE6snNPwf/g/sgJBtVWc9Ql+q5kXl6JOKrznyO3ga6uxmsNMq+enN+
        WS76FYWYQu5aWFCtNd8z/zXXbIr6n40JGrkC6NK356uRxl1wlqoqCRxJc3rUER27
        TonKKTTCaBBPejfkt7kN3Gx3cbqSXIw4ea6AqaNwcFbG/YWYdWISdQJHQS6qPxI=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCizNvoM4nL9DXSVYFz
        uKWA5ySc2IsPaRbrMfxZ0SZ7fe9DexSwJvcP824kOdAJ5tmhZANiAAR3r+hxYeOG
        DBcDYix1B6LBDDhyE+NK5Mn3Q/y8V57Q6DOeTAU2BqKCcUOXSixeOaM5IxYjmvyA
        OUG8GGLAPiORDjTL8RhN4e6bmPZkhlTjKtoQJ2O1lpbt2aGKURGDHm4=
        -----END PRIVATE KEY-----

        """

    static let p384Public = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEd6/ocWHjhgwXA2IsdQeiwQw4chPjSuTJ
        90P8vFee0OgznkwFNgaignFDl0osXjmjOSMWI5r8gDlBvBhiwD4jkQ40y/EYTeHu
        m5j2ZIZU4yraECdjtZaW7dmhilERgx5u
        -----END PUBLIC KEY-----

        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIMI4zBQkge8jAiXNPTCT5MIOmZVshSMIi+9ZoKvRse5C
        -----END PRIVATE KEY-----

        """
}
