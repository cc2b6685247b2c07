/// Runs `body`. Linux has no autorelease pools to drain: objects go when their last reference does.
///
/// - Source: https://developer.apple.com/documentation/objectivec/autoreleasepool(invoking:)
public func autoreleasepool<Result: ~Copyable, E: Error>(invoking body: () throws(E) -> Result) throws(E) -> Result {
    try body()
}
