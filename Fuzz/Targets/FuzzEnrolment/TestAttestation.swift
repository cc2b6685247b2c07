import Envelope
import Networking

/// Values of Tests/Unit/PushServiceTests/Vectors/app-attest.json, under whose root the seeds are.
enum TestAttestation {
    static let keyID = decoded("EVB8-OtM5Z9PzaXqKUcFTxplMc_SyU1phqCsubpU_RM")
    static let clientDataHash = decoded("EIqRB6ERZ8HRCQ8H1v19vzf4zYrYipD8GzvAZ8Eg_SM")
    static let publicKey = decoded(
        "BJOJPbsMmLa-XIVw0XwVJhG8tmqPCf2LJqTVV7sysUnbPdA_QVtnOlgAM1kYFT9E8nXGDJ5h_8cvEwvcHLh37Jo"
    )
    static let roots = unsafe TLSCertificate.list(pem: Array(root.utf8).span.bytes)

    private static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBiTCCAQ+gAwIBAgIBATAKBggqhkjOPQQDAjAkMSIwIAYDVQQDDBlUZXN0IEFw
        cCBBdHRlc3RhdGlvbiBSb290MCAXDTI0MDUxNTAwMDAwMFoYDzIwNTEwNjIzMDAw
        MDAwWjAkMSIwIAYDVQQDDBlUZXN0IEFwcCBBdHRlc3RhdGlvbiBSb290MHYwEAYH
        KoZIzj0CAQYFK4EEACIDYgAEmJYyhuIHJX3gK1wP4Y+Os3A0ti2YQqd/Q7qT0cWP
        vWliPsUl0QmqIcPsKP8t5B0DJMrSgY1fZV0BPz4FAQw+7PLMg3veU3L2F+uHK1Xf
        Bhnr7WADhr3b+vrCz7s7ewdtoxMwETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
        BAMCA2gAMGUCMQDWp5aeRb5+Jeav83jo0AY85hPhhxFSscg+VKP1SCz6RGvfOPQ0
        hfc4VQEei7FCSJgCMAT2L8roBe6N4qVpydxnq4JiUPNx0T/G8GU1nT8Su3UYtZCa
        K4Nzh424ovCtINR7/Q==
        -----END CERTIFICATE-----

        """

    private static func decoded(_ text: String) -> [UInt8] { Base64URL.decode(text: text) ?? [] }
}
