internal import Platform

extension FileManager {
    /// The folder that an app shares with its extensions.
    ///
    /// On Linux the simulated device that the code runs on knows a folder that has one folder for each group; without one
    /// the environment variable `SEALEDPUSH_APP_GROUPS` names it.
    ///
    /// - Parameter groupIdentifier: `group.com.example.app`, say: one path component.
    /// - Returns: `nil` where iOS returns `nil`, for a group that this process has no part in: neither names a folder,
    ///   that folder has no such folder, or the identifier would lead out of it.
    /// - Source: https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        // Asked for by name: Foundation's dictionary of the whole environment is made anew for each question.
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
