@_exported public import CDarwinStandIn
private import CExtendedAttributes
@_exported public import Glibc

// The part of Darwin's C library that Sources calls and Glibc lacks, declared as Apple's headers are imported into Swift.
// A file that imports Glibc beside it finds two `fcntl`: shared code imports Platform.

/// memset_s(3).
@discardableResult
public func memset_s(_ start: UnsafeMutableRawPointer?, _ room: Int, _ value: Int32, _ count: Int) -> Int32 {
    guard let start = unsafe start, count <= room else { return EINVAL }
    if value == 0 { unsafe explicit_bzero(start, count) } else { unsafe memset(start, value, count) }
    return 0
}

/// clock_gettime(3) of Darwin, whose CLOCK_MONOTONIC_RAW advances during sleep as CLOCK_BOOTTIME does here.
public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock == CLOCK_MONOTONIC_RAW ? CLOCK_BOOTTIME : clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// sysctlbyname(3), for "kern.bootsessionuuid" alone.
public func sysctlbyname(
    _ name: UnsafePointer<CChar>?,
    _ output: UnsafeMutableRawPointer?,
    _ count: UnsafeMutablePointer<Int>?,
    _ input: UnsafeMutableRawPointer?,
    _ inputCount: Int
) -> Int32 {
    guard let name = unsafe name, let output = unsafe output, let count = unsafe count,
        unsafe strcmp(name, "kern.bootsessionuuid") == 0
    else { return -1 }
    let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return -1 }
    defer { close(file) }
    unsafe count.pointee = unsafe max(0, read(file, output, count.pointee))
    return 0
}

/// fcntl(2): "ask the drive to flush all buffered data".
public let F_FULLFSYNC: Int32 = 51
/// fcntl(2).
public let F_BARRIERFSYNC: Int32 = 85
/// sys/fcntl.h.
public let F_SETPROTECTIONCLASS: Int32 = 64

/// fcntl(2).
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
    [F_FULLFSYNC, F_BARRIERFSYNC].contains(command) ? fsync(descriptor) : Glibc.fcntl(descriptor, command)
}

/// fcntl(2); a protection class becomes the mark that a simulated device finds.
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 {
    guard command == F_SETPROTECTIONCLASS else { return Glibc.fcntl(descriptor, command, value) }
    var letter = UInt8(0x40 + value)
    return unsafe extended_attribute_set(descriptor, "user.sealedpush.protection", &letter, 1)
}

extension stat {
    /// stat(2).
    public var st_mtimespec: timespec { st_mtim }
    /// stat(2).
    public var st_ctimespec: timespec { st_ctim }
}

/// sys/qos.h.
public struct qos_class_t: Sendable {
    fileprivate let rawValue: UInt32
}

/// sys/qos.h.
public let QOS_CLASS_UTILITY = qos_class_t(rawValue: 0x11)
/// sys/qos.h.
public let QOS_CLASS_USER_INITIATED = qos_class_t(rawValue: 0x19)

/// pthread/qos.h; a hint without effect here.
@discardableResult
public func pthread_attr_set_qos_class_np(
    _ attributes: UnsafeMutablePointer<pthread_attr_t>,
    _ quality: qos_class_t,
    _ priority: Int32
) -> Int32 {
    0
}

/// pthread_create(3), whose thread is a pointer on Darwin, and its argument never nil.
@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>,
    _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    typealias Here = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    var own = pthread_t()
    let code = unsafe Glibc.pthread_create(&own, attributes, unsafeBitCast(body, to: Here.self), argument)
    unsafe thread.pointee = own
    return code
}
