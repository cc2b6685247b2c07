/// What the device lets code do now. On Apple's platforms the system says so itself, in its own calls' errors.
package enum DeviceRules {
    /// A write's purpose, since a full disk stops only what needs room.
    package enum Access: Sendable {
        /// Changes bytes that have their room.
        case overwrite
        /// Makes a file or a folder.
        case create
    }

    /// - Returns: the error code with which the system would refuse; nil where it would not.
    package static func refusal(of access: Access) -> Int32? {
        #if canImport(Darwin)
        nil
        #else
        switch (SimulatedDevice.current?.conditions.storage, access) {
        case (.readOnly, _): EROFS
        case (.full, .create): ENOSPC
        case (.full, .overwrite), (.writable, _), (nil, _): nil
        }
        #endif
    }

    /// The date that the device shows, in milliseconds since 1970; nil for the system's.
    package static var simulatedMillisecondsSince1970: UInt64? {
        #if canImport(Darwin)
        nil
        #else
        SimulatedDevice.current?.millisecondsSince1970
        #endif
    }

    /// Measures how long something takes.
    package static var clock: any Clock<Duration> {
        #if canImport(Darwin)
        ContinuousClock()
        #else
        SimulatedDevice.current?.clock ?? ContinuousClock()
        #endif
    }
}
