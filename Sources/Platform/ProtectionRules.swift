#if !canImport(Darwin)
/// Data protection as a simulated device enforces it: by the class of an opened file, and for a new file by its
/// folder's class, which it inherits.
///
/// Stricter than documented: a folder can be listed only if a file of its class could be opened.
struct ProtectionRules {
    private let lock: SimulatedDevice.Lock
    private let isCompleteByDefault: Bool

    init(_ conditions: SimulatedDevice.Conditions) {
        lock = conditions.lock
        isCompleteByDefault = conditions.isCompleteByDefault
    }

    /// - Returns: `EPERM`, as on iOS; nil for an allowed access or a missing file.
    func refusal(of access: DeviceRules.Access, at path: String) -> Int32? {
        switch (lock, isCompleteByDefault) {
        case (.unlocked, _), (.locked, false): return nil
        case (.locked, true), (.beforeFirstUnlock, _): break
        }
        switch access {
        case .remove: return nil
        case .read, .overwrite:
            guard FileProtection.find(at: path) != .absent else { return nil }
            return permits(inherited(path)) ? nil : EPERM
        case .create(let protection):
            let folder = inherited(Self.folder(of: path))
            return permits(folder) && permits(protection ?? folder) ? nil : EPERM
        }
    }

    // Nil is `Complete`.
    private func permits(_ protection: FileProtection?) -> Bool {
        switch protection {
        case .always: true
        case .untilFirstUnlock: lock != .beforeFirstUnlock
        case nil: lock == .unlocked
        }
    }

    /// - Returns: class of the path, or of the nearest enclosing folder with one; nil for `Complete`.
    private func inherited(_ path: String) -> FileProtection? {
        var place = path
        while true {
            if case .marked(let protection) = FileProtection.find(at: place) { return protection }
            let folder = Self.folder(of: place)
            guard folder != place else { return isCompleteByDefault ? nil : .untilFirstUnlock }
            place = folder
        }
    }

    /// The root is its own folder: `/` or `.`.
    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
#endif
