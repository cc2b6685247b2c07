// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension CGRect {
    /// Dictionary of `X`, `Y`, `Width` and `Height`, as for a thumbnail's clipping.
    ///
    /// - Source: https://developer.apple.com/documentation/corefoundation/cgrect/dictionaryrepresentation
    public var dictionaryRepresentation: CFDictionary {
        [
            "X": NSNumber(value: Double(origin.x)), "Y": NSNumber(value: Double(origin.y)),
            "Width": NSNumber(value: Double(width)), "Height": NSNumber(value: Double(height)),
        ]
    }

    public init?(dictionaryRepresentation dict: CFDictionary) {
        let numbers = ["X", "Y", "Width", "Height"].compactMap { (dict[$0] as? NSNumber)?.doubleValue }
        guard numbers.count == 4 else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
