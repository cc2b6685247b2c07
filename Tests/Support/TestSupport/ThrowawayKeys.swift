package import Primitives

/// A provider's signing keys that protect nothing, made by `openssl ecparam -name prime256v1 -genkey -noout | openssl
/// pkcs8 -topk8 -nocrypt` and `openssl pkey -pubout`.
package enum ThrowawayKeys {
    package static func first() throws -> ES256PrivateKey { try privateKey(firstPEM) }
    package static func second() throws -> ES256PrivateKey { try privateKey(secondPEM) }

    private static func privateKey(_ pem: String) throws -> ES256PrivateKey {
        let bytes = Array(pem.utf8)
        return try unsafe ES256PrivateKey(pem: bytes.span.bytes)
    }

    package static let firstPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtac06fpLO4QOT+TH
        LOSH4TCvoKpAZnKZpCMzPAJPr7ahRANCAAQbtH2WZJcN2YK/eyWW2KDBM0ILF2RZ
        j3eqEQztZjiiGUAugeoIY5lZArcdACc2uFSTAdsTwHVSkcYMzoBCBcrT
        -----END PRIVATE KEY-----
        """

    package static let secondPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNp133VMljVUumyH8
        6olyjes8Vdx9k9CtW9GkPTn2YtKhRANCAARSq/gkFX5Jnma3sGlJH7q4Becqbak5
        aQrKBVqfs19qqOkRIV8i+i86wQjfm58awwffYwPzjWByKuTwyRDd/ZsW
        -----END PRIVATE KEY-----
        """
}
