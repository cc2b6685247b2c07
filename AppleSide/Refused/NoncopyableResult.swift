import CryptoKit

// Apple's `withUnsafeBytes` returns copyable values only.
// error: requires that 'Noncopyable' conform to 'Copyable'
struct Noncopyable: ~Copyable {
    let count: Int
}

func read(_ secret: SharedSecret) -> Noncopyable {
    unsafe secret.withUnsafeBytes { Noncopyable(count: $0.count) }
}
