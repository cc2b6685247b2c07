/// Value of one loop, in a box for any thread.
///
/// Unchecked Sendable: the only access checks that the caller is on the loop.
package struct LoopBound<Value>: @unchecked Sendable {
    package let loop: EventLoop
    let bound: Value

    package init(_ value: Value, to loop: EventLoop) {
        self.loop = loop
        self.bound = value
    }

    package var value: Value {
        loop.checkIsolated()
        return bound
    }
}
