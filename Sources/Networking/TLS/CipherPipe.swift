import COpenSSL

/// OpenSSL's input and output instead of a socket. Its memory BIO would copy every byte once more each way.
@safe final class CipherPipe {
    /// Valid during one call of the session's `receive` only.
    private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    var output = ByteQueue()

    func withInput<Result, Failure: Error>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe input = bytes
        defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try body()
    }

    /// The caller owns the BIO, which must not outlive this pipe.
    func makeBIO() throws(TLSError) -> OpaquePointer {
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else {
            throw OpenSSLFailure.library("BIO_new")
        }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    private func read(into destination: UnsafeMutablePointer<CChar>, _ byteCountMax: Int) -> Int {
        let byteCount = unsafe min(byteCountMax, input.count)
        guard byteCount > 0, let source = unsafe input.baseAddress else { return 0 }
        unsafe UnsafeMutableRawPointer(destination).copyMemory(from: source, byteCount: byteCount)
        unsafe input = UnsafeRawBufferPointer(rebasing: input[byteCount...])
        return byteCount
    }

    private func write(_ source: UnsafePointer<CChar>, _ byteCount: Int) {
        let bytes = unsafe UnsafeRawBufferPointer(start: source, count: byteCount)
        unsafe output.append(bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Made once per process: function pointers that never change.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "sealed-push pipe") else {
            return nil
        }
        let reads = unsafe BIO_meth_set_read(method) { bio, destination, byteCount in
            guard let bio = unsafe bio, let destination = unsafe destination, byteCount > 0,
                let data = unsafe BIO_get_data(bio)
            else { return -1 }
            unsafe BIO_clear_flags(
                bio,
                BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY
            )
            return unsafe Unmanaged<CipherPipe>.fromOpaque(data)._withUnsafeGuaranteedRef { pipe in
                let read = unsafe pipe.read(into: destination, Int(byteCount))
                guard read == 0 else { return Int32(read) }
                unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
        }
        let writes = unsafe BIO_meth_set_write(method) { bio, source, byteCount in
            guard let bio = unsafe bio, let source = unsafe source, byteCount > 0,
                let data = unsafe BIO_get_data(bio)
            else { return -1 }
            unsafe BIO_clear_flags(
                bio,
                BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY
            )
            unsafe Unmanaged<CipherPipe>.fromOpaque(data)._withUnsafeGuaranteedRef { pipe in
                unsafe pipe.write(source, Int(byteCount))
            }
            return byteCount
        }
        let flushes = unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return unsafe reads == 1 && writes == 1 && flushes == 1 ? method : nil
    }()
}
