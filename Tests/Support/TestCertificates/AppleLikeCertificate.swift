/// Push certificates like Apple's, from an authority of ours.
public enum AppleLikeCertificate {
    /// The value of an extension without contents: NULL.
    public static let null: [UInt8] = [5, 0]

    /// Permits pushes to the sandbox.
    public static func sandbox() -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.1", value: null)
    }

    /// Permits pushes to production.
    public static func production() -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.2", value: null)
    }

    /// The topics of a VoIP Services certificate.
    public static func voIPTopics(_ value: [UInt8]) -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.4", value: value)
    }

    /// All topics.
    public static func topics(_ value: [UInt8]) -> TestAuthority.Extension {
        .init(identifier: "1.2.840.113635.100.6.3.6", value: value)
    }

    /// The list of a certificate that Apple issued, without the OCTET STRING's own two bytes.
    public static let pushyTopics = list([
        ("com.eatthepath.pushy", ["app"]), ("com.eatthepath.pushy.voip", ["voip"]),
        ("com.eatthepath.pushy.complication", ["complication"]),
    ])

    /// SEQUENCE { UTF8String topic, SEQUENCE { UTF8String type, … }, … }.
    ///
    /// - Parameter topics: each name with its types; all of it below 256 bytes.
    /// - Returns: DER.
    public static func list(_ topics: [(name: String, types: [String])]) -> [UInt8] {
        sequence(topics.flatMap { text($0.name) + sequence($0.types.flatMap(text)) })
    }

    /// A UTF8String of less than 128 bytes.
    public static func text(_ text: String) -> [UInt8] { [0x0C, UInt8(text.utf8.count)] + text.utf8 }

    private static func sequence(_ contents: [UInt8]) -> [UInt8] {
        let byteCount = UInt8(contents.count)
        return [0x30] + (byteCount < 0x80 ? [byteCount] : [0x81, byteCount]) + contents
    }

    /// Both environments and the three topics of the real list.
    public static func universal(
        by authority: TestAuthority,
        validity: ClosedRange<Int> = -day...day * 365
    ) throws -> TestAuthority.Identity {
        try authority.issueClient(
            name: "Apple Push Services: com.eatthepath.pushy",
            userID: "com.eatthepath.pushy",
            extensions: [sandbox(), production(), topics(pushyTopics)],
            validity: validity
        )
    }
}
