package import Envelope

// Written by scripts/build-date.
extension OpeningPolicy {
    /// Day of the build, 2026-11-24: no device is older than the software on it. A clock before that is wrong.
    package static let buildDate = Timestamp(milliseconds: 1_795_478_400_000)
}
