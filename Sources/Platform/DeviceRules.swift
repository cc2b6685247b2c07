/// Device's current restrictions. On Apple's platforms the system's own calls report them.
package enum DeviceRules {
    /// Purpose of an access: a full disk stops only writes that need room, a locked device only what needs a file's
    /// key.
    package enum Access: Sendable {
        /// Opens a file, or lists a folder.
        case read
        /// Opens a file to change bytes in place.
        case overwrite
        /// Creates a file or folder of this class; nil inherits the folder's class.
        case create(FileProtection?)
        /// Removes a name, which needs no key.
        case remove
    }

    package static func refusal(of access: Access, at path: String) -> Int32? {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        nil
        #else
        guard let conditions = SimulatedDevice.current?.conditions else { return nil }
        return conditions.storage.refusal(of: access) ?? ProtectionRules(conditions).refusal(of: access, at: path)
        #endif
    }

    /// Simulated device's date in milliseconds since 1970; nil for the system's.
    package static var simulatedMillisecondsSince1970: UInt64? {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        nil
        #else
        SimulatedDevice.current?.millisecondsSince1970
        #endif
    }

    /// Clock for durations.
    package static var clock: any Clock<Duration> {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        ContinuousClock()
        #else
        SimulatedDevice.current?.clock ?? ContinuousClock()
        #endif
    }
}

#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
extension SimulatedDevice.Storage {
    fileprivate func refusal(of access: DeviceRules.Access) -> Int32? {
        switch (self, access) {
        case (.readOnly, .overwrite), (.readOnly, .create), (.readOnly, .remove): EROFS
        case (.full, .create): ENOSPC
        case (.writable, _), (.full, _), (.readOnly, .read): nil
        }
    }
}
#endif
