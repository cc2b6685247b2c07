import TestSupport
import Testing

@testable import Primitives

struct SecretBytesTests {
    @Test(arguments: [SecretBytes.Storage.plain, .guarded])
    func `a secret starts as zeros and holds what was written`(_ storage: SecretBytes.Storage) {
        let secret = SecretBytes(byteCount: 40, storage: storage) { span in
            for offset in 0..<40 { #expect(unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0) }
            span.storeBytes(of: 0xAB, toByteOffset: 39, as: UInt8.self)
        }
        #expect(secret.revealed == [UInt8](repeating: 0, count: 39) + [0xAB])
    }

    @Test func `equality compares bytes and lengths`() {
        let secret = [UInt8]([1, 2, 3]).secret
        for (other, isEqual) in [([1, 2, 3], true), ([1, 2, 4], false), ([1, 2], false)] as [([UInt8], Bool)] {
            let found = secret.isEqual(to: other.secret)
            #expect(found == isEqual)
        }
    }

    @Test(arguments: [SecretBytes.Storage.plain, .guarded])
    func `a copy outlives its original`(_ storage: SecretBytes.Storage) {
        let copy: SecretBytes
        do {
            let original = [UInt8]([4, 5, 6]).secret
            copy = original.copy(storage: storage)
        }
        #expect(copy.revealed == [4, 5, 6])
    }

    #if os(Linux)
    @Test func `a secret is nowhere in the process once its owner is gone (abuse case 40)`() throws {
        // Written byte by byte and remembered inverted, so that the secret's own memory is the only copy. Large, so
        // that no small allocation takes its place as soon as it is free.
        let inverted = (0..<4_096).map { UInt8(truncatingIfNeeded: ~($0 &* 37 &+ 11)) }
        var secret: SecretBytes? = SecretBytes(byteCount: inverted.count) { span in
            for (offset, byte) in inverted.enumerated() {
                span.storeBytes(of: ~byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        // The allocator may write its own links into the first bytes of freed memory: the rest must be gone.
        let needle = Array(inverted.suffix(48))
        #expect(try ProcessMemory.contains(inverted: needle))
        #expect(secret.take()?.byteCount == 4_096)
        #expect(try !ProcessMemory.contains(inverted: needle))
    }
    #endif

    @Test func `a fill that throws leaves no secret behind`() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            _ = try SecretBytes(byteCount: 8) { (span: inout MutableRawSpan) throws(Failure) in
                span.storeBytes(of: 1, as: UInt8.self)
                throw Failure()
            }
        }
    }

    @Test func `no key has a description (abuse case 40)`() {
        // Code that must not compile cannot be called here; it is forbidden because these types are noncopyable, and
        // removing `~Copyable` from one would make this line compile into a failure.
        #expect(!isCopyable(SecretBytes.self))
        #expect(!isCopyable(X25519PrivateKey.self))
        #expect(!isCopyable(Ed25519PrivateKey.self))
    }
}

private func isCopyable<T: ~Copyable>(_: T.Type) -> Bool { false }
private func isCopyable<T>(_: T.Type) -> Bool { true }
