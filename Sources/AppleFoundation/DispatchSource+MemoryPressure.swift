// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
package import Platform

/// Source of memory pressure events, raised by a simulated device.
///
/// - Source: https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceMemoryPressure {}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal = MemoryPressureEvent(rawValue: 1 << 0)
        public static let warning = MemoryPressureEvent(rawValue: 1 << 1)
        public static let critical = MemoryPressureEvent(rawValue: 1 << 2)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        let source = makeUserDataOrSource(queue: queue)
        guard let made = source as? DispatchSource else {
            preconditionFailure("Dispatch made a source of another class; report this with the version of Swift")
        }
        PressureSource.all.withLock { all in
            all.removeAll { $0.source == nil }
            all.append(PressureSource(source: made, mask: eventMask, device: SimulatedDevice.current?.identity))
        }
        return made
    }

    /// Raises an event for the sources that were made on a device.
    package static func raise(_ event: MemoryPressureEvent, on device: SimulatedDevice) {
        let sources = PressureSource.all.withLock { $0 }
        for source in sources where source.device == device.identity && source.mask.contains(event) {
            (source.source as (any DispatchSourceUserDataOr)?)?.or(data: event.rawValue)
        }
    }
}

extension DispatchSourceMemoryPressure {
    /// Levels since the last handler.
    public var data: DispatchSource.MemoryPressureEvent {
        DispatchSource.MemoryPressureEvent(rawValue: (self as? any DispatchSourceUserDataOr)?.data ?? 0)
    }
}

/// Unchecked: Dispatch's objects are safe on any thread.
private struct PressureSource: @unchecked Sendable {
    static let all = Guarded<[PressureSource]>([])
    weak var source: DispatchSource?
    let mask: DispatchSource.MemoryPressureEvent
    let device: ObjectIdentifier?
}

extension SimulatedDevice {
    /// One for all pushes of a device in the test's process; nil in an extension's own.
    fileprivate var identity: ObjectIdentifier? { system.map { ObjectIdentifier($0 as AnyObject) } }
}
