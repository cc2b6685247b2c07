internal import COpenSSL

/// OpenSSL's hash in progress, with value semantics.
struct HashState {
    private var context: Context

    init(_ kind: OpaquePointer?) {
        let context = Context()
        let code = unsafe EVP_DigestInit_ex(context.pointer, kind, nil)
        precondition(code == 1, "OpenSSL could not start a hash")
        self.context = context
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = context.copy() }
        let code = unsafe EVP_DigestUpdate(context.pointer, bytes.baseAddress, bytes.count)
        precondition(code == 1, "OpenSSL could not hash")
    }

    func digest(byteCount: Int) -> [UInt8] {
        let copy = context.copy()
        var digest = [UInt8](repeating: 0, count: byteCount)
        let code = unsafe EVP_DigestFinal_ex(copy.pointer, &digest, nil)
        precondition(code == 1, "OpenSSL could not finish a hash")
        return digest
    }

    /// Unchecked: changed only by its one owner.
    @safe private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        init() {
            guard let pointer = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory for a hash") }
            unsafe self.pointer = pointer
        }

        func copy() -> Context {
            let copy = Context()
            let code = unsafe EVP_MD_CTX_copy_ex(copy.pointer, pointer)
            precondition(code == 1, "OpenSSL could not copy a hash")
            return copy
        }

        deinit { unsafe EVP_MD_CTX_free(pointer) }
    }
}
