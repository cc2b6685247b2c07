/// Time since the device's start. It cannot be set, and advances while the device sleeps.
///
/// - Source: `CLOCK_BOOTTIME`, clock_gettime(2); `mach_continuous_time`, Apple's "mach" time functions.
package struct Uptime: Equatable, Sendable {
    package let milliseconds: UInt64
    /// Number of this boot, new after each restart; 0 if the system has none.
    package let boot: UInt64

    package init(milliseconds: UInt64, boot: UInt64) {
        self.milliseconds = milliseconds
        self.boot = boot
    }

    package static var now: Uptime {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        ofMachine
        #else
        SimulatedDevice.current?.uptime ?? ofMachine
        #endif
    }

    /// Boot, or this process if unknown: no restart lies between two readings of one session.
    package var session: UInt64 { boot != 0 ? boot : Self.processNumber }

    private static let processNumber = UInt64.random(in: 1 ... .max)

    package func advanced(byMilliseconds count: UInt64) -> Uptime {
        Uptime(milliseconds: milliseconds &+ count, boot: boot)
    }

    package func scaled(by factor: Double) -> Uptime {
        Uptime(milliseconds: UInt64(Double(milliseconds) * factor), boot: boot)
    }

    #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
    package static var ofMachine: Uptime {
        Uptime(milliseconds: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW) / 1_000_000, boot: bootNumber)
    }

    private static let bootNumber: UInt64 = {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return 0 }
        return bootNumber(bytes[..<min(count, bytes.count)])
    }()
    #else
    package static var ofMachine: Uptime {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        let milliseconds = UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
        return Uptime(milliseconds: milliseconds, boot: bootNumber)
    }

    private static let bootNumber: UInt64 = {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &bytes, bytes.count)
        return bootNumber(bytes[..<max(0, count)])
    }()
    #endif

    /// FNV-1a hash of a boot id: distinguishes boots, keeps nothing secret.
    ///
    /// - Parameter id: Boot's id, with its terminator.
    /// - Returns: 0 for an empty id, which would make all boots one.
    package static func bootNumber(_ id: some Sequence<UInt8>) -> UInt64 {
        let id = id.filter { $0 > UInt8(ascii: " ") }
        guard !id.isEmpty else { return 0 }
        return id.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
