/// A value that lives on one loop, in a box that may travel.
///
/// Unchecked: the only way to the value checks that the caller is on the loop.
package struct LoopBound<Value>: @unchecked Sendable {
    package let loop: EventLoop
    @usableFromInline let bound: Value

    package init(_ value: Value, to loop: EventLoop) {
        self.loop = loop
        self.bound = value
    }

    /// The value itself. On the loop only.
    @inlinable package var value: Value {
        loop.checkIsolated()
        return bound
    }
}
