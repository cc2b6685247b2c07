internal import Platform

extension FileManager {
    /// The folder that an app shares with its extensions. On Linux a subfolder of the simulated device's folder for app
    /// groups, or of the folder that `SEALEDPUSH_APP_GROUPS` names.
    ///
    /// - Parameter groupIdentifier: one path component, such as `group.com.example.app`.
    /// - Returns: `nil` if there is no such folder, or if the identifier would lead out of it; on iOS, for a group that
    ///   the process does not belong to.
    /// - Source:
    ///   https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        // By `getenv`: Foundation builds its dictionary of the whole environment on every access.
        let fromEnvironment = unsafe getenv("SEALEDPUSH_APP_GROUPS").map { unsafe String(cString: $0) }
        return containerURL(
            forSecurityApplicationGroupIdentifier: groupIdentifier,
            appGroupsPath: SimulatedDevice.current?.appGroupsPath ?? fromEnvironment
        )
    }

    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String, appGroupsPath: String?) -> URL? {
        guard let appGroupsPath, !appGroupsPath.isEmpty, Self.isPathComponent(groupIdentifier) else { return nil }
        let url = URL(fileURLWithPath: appGroupsPath, isDirectory: true)
            .appendingPathComponent(groupIdentifier, isDirectory: true)
        var isDirectory = ObjCBool(false)
        guard unsafe fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue else { return nil }
        return url
    }

    private static func isPathComponent(_ name: String) -> Bool {
        !["", ".", ".."].contains(name) && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
