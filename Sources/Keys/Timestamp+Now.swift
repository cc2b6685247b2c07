public import Envelope
private import Primitives

extension Timestamp {
    /// System time, for entry points; other code takes it as a parameter.
    public static var now: Timestamp { Timestamp(milliseconds: SystemClock.millisecondsSince1970) }
}
