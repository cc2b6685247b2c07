package struct DeviceSettings: Sendable {
    package enum Certificates: String, Sendable, CaseIterable {
        /// Requires a certificate of the simulator's authority.
        case required
        case optional
    }

    package var certificates = Certificates.optional
    package var tokenByteCount = 32
    package var countMax = 1_000_000
    /// Shared by two simulators, so that each recognizes the other's tokens; `nil` creates one. Determines the token
    /// length.
    package var mint: DeviceTokenMint?

    package init() {}
}

extension SimulatorSetting {
    static let devices: [SimulatorSetting] = [
        .choice(
            "device-certificates",
            \.devices.certificates,
            "the certificate of the simulator's authority that a device shows",
            source: "Apple's devices do; optional, so that a test needs none"
        ),
        .number(
            "device-token-bytes",
            \.devices.tokenByteCount,
            in: DeviceTokenMint.tokenByteCounts,
            "the bytes of a device token",
            source: "observed: 32 for most; Apple: do not assume a length"
        )
        // Issued tokens keep their length.
        .applying(to: .restart),
        .number(
            "device-tokens",
            \.devices.countMax,
            in: 1...100_000_000,
            "the device tokens that the simulator issues",
            source: "ours"
        ),
    ]
}
