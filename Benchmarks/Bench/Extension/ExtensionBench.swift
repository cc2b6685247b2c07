private import Glibc

/// Makes the pushes and feeds them to processes that run the extension: the memory and time of sealing must not be
/// counted as the extension's. Only one of the two processes works at a time: a push is sealed and written when the
/// other reports that it is idle.
package struct ExtensionBench: ~Copyable {
    package enum Aim {
        package static let p99Nanoseconds: UInt64 = 1_000_000
        package static let byteCountAboveEmpty = 4_000_000
    }

    private var mix: PushMix
    private let pushCount: Int

    /// - Parameters:
    ///   - containerPath: An existing, empty folder: the container of the extension's app group.
    ///   - pushCount: 1 or more.
    package init(containerPath: String, pushCount: Int) throws(BenchError) {
        mix = try PushMix.install(containerPath: containerPath)
        self.pushCount = pushCount
    }

    /// Writes all pushes, then the end. Throws also if the process is gone.
    ///
    /// - Parameters:
    ///   - descriptor: Socket to the process; closed by this call.
    ///   - progress: Gets the number of written pushes after each.
    package mutating func feed(_ descriptor: Int32, progress: (Int) -> Void) throws(BenchError) {
        defer { close(descriptor) }
        for number in 0..<pushCount {
            try Self.waitUntilReady(descriptor)
            let payload = try mix.payload(number: number)
            try Self.write(Self.head(UInt32(payload.count)) + payload, to: descriptor)
            progress(number + 1)
        }
        try Self.waitUntilReady(descriptor)
        try Self.write(Self.head(ExtensionBenchProcess.end), to: descriptor)
    }

    private static func head(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func waitUntilReady(_ descriptor: Int32) throws(BenchError) {
        var byte: UInt8 = 0
        var count: Int
        repeat { count = unsafe read(descriptor, &byte, 1) } while count < 0 && errno == EINTR
        guard count == 1 else { throw .operationFailed }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(BenchError) {
        var written = 0
        while written < bytes.count {
            let start = written
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .operationFailed }
            written += count
        }
    }
}
