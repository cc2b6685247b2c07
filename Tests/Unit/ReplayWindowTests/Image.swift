import Glibc
import Keys
import Platform

@testable import Opening

/// The window's file as bytes, to be put into any state and back.
final class Image {
    let path: String
    /// The state of `restore`.
    private(set) var bytes: [UInt8]
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        bytes = try WholeFile.read(path, byteCountMax: 1 << 22)
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImageFailure(call: "open") }
    }

    deinit { close(descriptor) }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
        let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count else { throw ImageFailure(call: "pwrite") }
    }

    func restore(_ ranges: [Range<Int>]) throws {
        for range in ranges { try write(bytes[range], at: range.lowerBound) }
    }

    func restore() throws {
        try write(bytes[...], at: 0)
        guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw ImageFailure(call: "ftruncate") }
    }

    func truncate(to byteCount: Int) throws {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw ImageFailure(call: "ftruncate") }
    }

    /// Keeps the present state for `restore`.
    func keep() throws { bytes = try WholeFile.read(path, byteCountMax: 1 << 22) }
}

struct ImageFailure: Error {
    let call: String
}

/// Every write of a window, in order; may break off one of them.
final class WriteLog: Sendable {
    struct Write: Sendable {
        let offset: Int
        let bytes: [UInt8]
        var range: Range<Int> { offset..<offset + bytes.count }
    }

    private let state = Guarded(State())

    private struct State {
        var writes: [Write] = []
        /// The number of writes that still succeed, and the next one's error.
        var failure: (after: Int, error: ReplayWindowError)?
    }

    var writes: [Write] { state.withLock { $0.writes } }

    func clear() { state.withLock { $0.writes = [] } }

    func fail(after count: Int, _ error: ReplayWindowError) { state.withLock { $0.failure = (count, error) } }

    func succeed() { state.withLock { $0.failure = nil } }

    var observer: WindowFile.WriteObserver {
        { words, offset throws(ReplayWindowError) in
            let bytes = unsafe words.withUnsafeBytes { unsafe [UInt8]($0) }
            let error: ReplayWindowError? = self.state.withLock { state in
                if let failure = state.failure {
                    if failure.after == 0 { return failure.error }
                    state.failure = (failure.after - 1, failure.error)
                }
                state.writes.append(Write(offset: offset, bytes: bytes))
                return nil
            }
            if let error { throw error }
        }
    }
}
