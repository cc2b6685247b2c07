import TestCertificates

@testable import APNSProvider

/// Certificates such as Apple issues them for pushing, from an authority of ours.
enum AppleLikeCertificate {
    /// What an extension without contents holds: NULL.
    static let null: [UInt8] = [5, 0]

    static func sandbox() -> TestAuthority.Extension { .init(identifier: "1.2.840.113635.100.6.3.1", value: null) }
    static func production() -> TestAuthority.Extension { .init(identifier: "1.2.840.113635.100.6.3.2", value: null) }

    static func voIPTopics(_ value: [UInt8]) -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.4", value: value)
    }

    static func topics(_ value: [UInt8]) -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.6", value: value)
    }

    /// Both environments and the three topics of the real list.
    static func universal(
        by authority: TestAuthority,
        validity: ClosedRange<Int> = -day...day * 365
    ) throws -> TestAuthority.Identity {
        try authority.issueClient(
            name: "Apple Push Services: com.eatthepath.pushy",
            userID: "com.eatthepath.pushy",
            extensions: [sandbox(), production(), topics(CertificateTopicsTests.real)],
            validity: validity
        )
    }
}

extension TestAuthority.Identity {
    func loaded(password: String = "") throws -> ClientCertificate {
        let password = Array(password.utf8)
        return try unsafe ClientCertificate(
            certificateChainPEM: certificatePEM.span.bytes,
            privateKeyPEM: privateKeyPEM.span.bytes,
            password: password.span.bytes
        )
    }
}
