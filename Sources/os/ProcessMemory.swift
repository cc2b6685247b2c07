internal import Platform

/// Bytes until the process's memory limit; 0 outside of a simulated device. In the test's process, which has no limit,
/// the whole limit.
///
/// - Source: https://developer.apple.com/documentation/os/os_proc_available_memory
public func os_proc_available_memory() -> Int {
    SimulatedDevice.current?.availableMemoryByteCount ?? 0
}
