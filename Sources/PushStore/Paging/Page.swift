package struct Page<Element: Sendable>: Sendable {
    package static var limits: ClosedRange<Int> { 1...1_000 }

    package let elements: [Element]
    /// nil at the end.
    package let next: Cursor?

    package init(elements: [Element], next: Cursor?) {
        self.elements = elements
        self.next = next
    }

    package static func clamped(_ limit: Int) -> Int { min(max(limit, limits.lowerBound), limits.upperBound) }
}
