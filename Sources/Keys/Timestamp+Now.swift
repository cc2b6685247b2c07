public import Envelope
private import Primitives

extension Timestamp {
    /// The system's clock, for entry points; everything inside takes the time as a parameter.
    public static var now: Timestamp { Timestamp(milliseconds: SystemClock.millisecondsSince1970) }
}
