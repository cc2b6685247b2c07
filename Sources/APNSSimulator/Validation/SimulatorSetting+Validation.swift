extension SimulatorSetting {
    static let validation: [SimulatorSetting] = requests + tokens + certificates

    private static let requests: [SimulatorSetting] = [
        .choice(
            "profile",
            \.profile,
            "as live servers were seen to act, or the documentation to the letter",
            source: "observed: tokens with DER signatures, padded base64 and times as strings are accepted"
        ),
        .choice(
            "topic-of-another-type",
            \.validation.suffixMismatch,
            "a push whose topic does not end as its push type asks",
            source: "ours; Apple: may return an error, delay or drop the push"
        ),
        .choice(
            "token-of-another-kind",
            \.validation.tokenOfAnotherKind,
            "a push to a token of the app that was given out for another kind of push",
            source: "Apple: each framework has tokens of its own; DeviceTokenNotForTopic is the reason that fits"
        ),
        .choice(
            "missing-push-type",
            \.validation.missingPushType,
            "a push without apns-push-type",
            source: "Apple: required on watchOS 6 and later, recommended elsewhere; the reason is ours"
        ),
        .choice(
            "background-priority-10",
            \.validation.backgroundAtOnce,
            "a background push with priority 10",
            source: "Apple calls it an error; the reason is ours"
        ),
        .choice(
            "live-activity-priority-1",
            \.validation.liveActivityLow,
            "a push for a Live Activity with priority 1",
            source: "Apple gives 10 and 5 for them; the reason is ours"
        ),
        .choice(
            "mdm-with-token",
            \.validation.managementWithToken,
            "a device management push that comes with a provider token instead of its certificate",
            source: "ours; Apple documents the reason Forbidden without saying when"
        ),
        .flag(
            "strict-json",
            \.validation.strictJSON,
            "refuse a payload that is not a JSON object, as PayloadEmpty",
            source: "ours: Apple documents no reason for it"
        ),
    ]

    private static let tokens: [SimulatorSetting] = [
        .choice(
            "wrong-key-environment",
            \.validation.keyEnvironmentReason,
            "the spelling of the reason for a signing key of the other environment",
            source: "observed; Apple's table has the other spelling"
        ),
        .choice(
            "token-updates-per",
            \.validation.tokenUpdateScope,
            "the scope of the twenty minutes between two provider tokens",
            source: "Apple, for the twenty minutes and the connection"
        ),
        .seconds(
            "clock-skew",
            \.validation.clockSkew,
            "the time by which a provider token may be issued in the future",
            source: "ours: Apple says nothing about such tokens"
        ),
    ]

    private static let certificates: [SimulatorSetting] = [
        .choice(
            "untrusted-certificate",
            \.validation.untrustedCertificate,
            "the refusal of a certificate of another authority, or one that is expired or revoked",
            source: "Apple, archived guide: the TLS connection is refused"
        ),
        .choice(
            "unfit-certificate",
            \.validation.unfitCertificate,
            "the refusal of a certificate that is not for APNs, or not for this environment",
            source: "observed: GOAWAY after a complete handshake"
        ),
        SimulatorSetting(
            name: "revoked-certificates",
            text: "serial numbers that a provider's certificate must not have",
            source: "ours: in place of Apple's revocation list",
            values: "none, or hexadecimal numbers such as 0x1F2E with commas between them",
            value: { SerialNumbers.text($0.validation.revokedSerialNumbers) },
            set: { configuration, text in
                guard let numbers = SerialNumbers.read(text) else { return false }
                configuration.validation.revokedSerialNumbers = numbers
                return true
            }
        ),
    ]
}

private enum SerialNumbers {
    private static let digits = Array("0123456789ABCDEF".utf8)
    /// RFC 5280 section 4.1.2.2: 20 bytes at most.
    private static let digitCountMax = 40

    static func text(_ numbers: Set<[UInt8]>) -> String {
        guard !numbers.isEmpty else { return "none" }
        return numbers.map { bytes in
            "0x" + String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }.sorted().joined(separator: ",")
    }

    static func read(_ text: String) -> Set<[UInt8]>? {
        guard text != "none" else { return [] }
        var numbers: Set<[UInt8]> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard part.hasPrefix("0x"), let number = number(part.dropFirst(2)) else { return nil }
            numbers.insert(number)
        }
        return numbers
    }

    private static func number(_ text: Substring) -> [UInt8]? {
        guard (1...digitCountMax).contains(text.utf8.count) else { return nil }
        let values = text.utf8.map { digits.firstIndex(of: $0 >= UInt8(ascii: "a") ? $0 - 32 : $0) }
        guard !values.contains(nil) else { return nil }
        var nibbles = values.compactMap { $0.map(UInt8.init) }
        if nibbles.count % 2 == 1 { nibbles.insert(0, at: 0) }
        let bytes = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        return Array(bytes.drop { $0 == 0 })
    }
}
