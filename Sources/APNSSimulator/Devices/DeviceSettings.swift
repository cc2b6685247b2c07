/// Who is taken as a device, and what its tokens look like.
package struct DeviceSettings: Sendable {
    package enum Certificates: String, Sendable, CaseIterable {
        /// Only a device with a certificate of the simulator's authority is taken.
        case required
        /// One with a certificate is held to it; one without is taken too.
        case optional
    }

    package var certificates = Certificates.optional
    package var tokenByteCount = 32
    /// How many tokens the simulator gives out.
    package var countMax = 1_000_000
    /// Shared by two simulators, so that each knows the tokens of the other's environment; `nil` makes one. Its tokens'
    /// length is then its own.
    package var mint: DeviceTokenMint?

    package init() {}
}

extension SimulatorSetting {
    /// Simulated devices.
    static let devices: [SimulatorSetting] = [
        .choice(
            "device-certificates",
            \.devices.certificates,
            "whether a device must show a certificate of the simulator's authority",
            source: "Apple's devices do; optional, so that a test needs none"
        ),
        .number(
            "device-token-bytes",
            \.devices.tokenByteCount,
            in: DeviceTokenMint.tokenByteCounts,
            "how long device tokens are",
            source: "observed: 32 for most; Apple: do not assume a length"
        )
        // What was given out stays a token.
        .applying(to: .restart),
        .number(
            "device-tokens",
            \.devices.countMax,
            in: 1...100_000_000,
            "how many device tokens the simulator gives out",
            source: "ours"
        ),
    ]
}
