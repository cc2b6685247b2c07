/// The error that `body` throws, or nil. For bodies with noncopyable values in them, which `#expect(throws:)` would
/// copy.
package func refusal<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
