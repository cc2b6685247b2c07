// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension UserDefaults {
    /// As `set(_:forKey:)`: key-value coding is Objective-C's.
    ///
    /// - Source: https://developer.apple.com/documentation/objectivec/nsobject-swift.class/setvalue(_:forkey:)
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    public func value(forKey key: String) -> Any? { object(forKey: key) }
}
