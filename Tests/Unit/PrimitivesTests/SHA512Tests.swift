import TestSupport
import Testing

@testable import Primitives

struct SHA512Tests {
    /// The messages of NIST's examples ("SHA512.pdf"), with the empty one; digests by OpenSSL and by Python's hashlib.
    private static let examples = [
        (
            "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
    ]

    @Test(arguments: examples)
    func `SHA-512 gives the digests of FIPS 180-4`(_ message: String, _ digest: String) {
        #expect(Hex.encode(SHA512.hash(Array(message.utf8))) == digest)
    }

    @Test func `a million letters give the digest of FIPS 180-4`() {
        let digest =
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        #expect(Hex.encode(SHA512.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))) == digest)
    }

    @Test(arguments: examples)
    func `parts are hashed as if they were one`(_ message: String, _ digest: String) {
        let bytes = Array(message.utf8)
        for split in [0, bytes.count / 2, bytes.count] {
            #expect(Hex.encode(SHA512.hash(Array(bytes[..<split]), [], Array(bytes[split...]))) == digest)
        }
    }
}
