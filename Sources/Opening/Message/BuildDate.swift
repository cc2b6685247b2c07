package import Envelope

// Written by scripts/build-date.
extension OpeningPolicy {
    /// The day of the build, 2026-11-24. No device is older than its software, so a clock before that is wrong.
    package static let buildDate = Timestamp(milliseconds: 1_795_478_400_000)
}
